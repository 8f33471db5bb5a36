import { createRootRouteWithContext, createRoute, createRouter, redirect } from '@tanstack/react-router'
import { toApplicationId, toApplicationNumber, toAppointmentId, toPaymentId } from '#contract/id-text.ts'
import { FailureScreen } from '#shell/failure-screen.tsx'
import { lazyScreen } from '#shell/lazy-screen.ts'
import { LoadingScreen } from '#shell/loading-screen.tsx'
import { NotFoundScreen } from '#shell/not-found-screen.tsx'
import { prerenderedScreen } from '#shell/prerendered-screen.tsx'
import { Shell } from '#shell/shell.tsx'
import {
  requireSession,
  requireState,
  hideScannedCode,
  hideUndoCode,
  loadHelpMessages,
  loadLegalMessages,
} from './route-guards.ts'
import { loadEntryScreen } from './entry-screens.ts'
import type { Services } from './services.ts'

const root = createRootRouteWithContext<{ services: Services }>()({
  component: Shell,
  notFoundComponent: NotFoundScreen,
  errorComponent: FailureScreen,
})

// The sign-in pages need no session (NAV01, NAV02).
const welcome = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: prerenderedScreen(() => loadEntryScreen('/')),
})
const mobile = createRoute({
  getParentRoute: () => root,
  path: '/mobile',
  component: prerenderedScreen(() => loadEntryScreen('/mobile')),
})
const mail = createRoute({
  getParentRoute: () => root,
  path: '/mail',
  component: prerenderedScreen(() => loadEntryScreen('/mail')),
})
const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: prerenderedScreen(() => loadEntryScreen('/password')),
})

// Enrolment offices verify receipts here, without a session (F7).
const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify',
  beforeLoad: hideScannedCode,
  component: lazyScreen(() => import('#screens/verify/verify-screen.tsx'), 'VerifyScreen'),
})

// A link in an SMS or e-mail opens this page without a session: the applicant may be locked out of the account (D70).
const undo = createRoute({
  getParentRoute: () => root,
  path: '/undo',
  beforeLoad: hideUndoCode,
  component: lazyScreen(() => import('#screens/undo/undo-screen.tsx'), 'UndoScreen'),
})

const help = createRoute({
  getParentRoute: () => root,
  path: '/help',
  beforeLoad: loadHelpMessages,
  component: lazyScreen(() => import('#screens/help/help-screen.tsx'), 'HelpScreen'),
})

// The footer of every page links to these three (NAV27).
const legal = createRoute({
  getParentRoute: () => root,
  path: '/legal',
  beforeLoad: loadLegalMessages,
  component: lazyScreen(() => import('#screens/legal/legal-screen.tsx'), 'LegalScreen'),
})
const accessibility = createRoute({
  getParentRoute: () => root,
  path: '/accessibility',
  beforeLoad: loadLegalMessages,
  component: lazyScreen(() => import('#screens/legal/accessibility-screen.tsx'), 'AccessibilityScreen'),
})
const privacy = createRoute({
  getParentRoute: () => root,
  path: '/privacy',
  beforeLoad: loadLegalMessages,
  component: lazyScreen(() => import('#screens/legal/privacy-screen.tsx'), 'PrivacyScreen'),
})

// All other screens need a session (NAV03).
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: requireSession,
  component: lazyScreen(() => import('#shell/query-provider.tsx'), 'QueryProvider'),
})

const procedure = createRoute({
  getParentRoute: () => signedIn,
  path: '/procedure',
  component: lazyScreen(() => import('#screens/procedure/procedure-screen.tsx'), 'ProcedureScreen'),
})
const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyScreen(() => import('#screens/account/account-screen.tsx'), 'AccountScreen'),
})

const form = createRoute({
  getParentRoute: () => signedIn,
  path: '/form/$appId/$appNumber',
  params: { parse: parseApplication },
  beforeLoad: requireState('form'),
  component: lazyScreen(() => import('#screens/form/form-screen.tsx'), 'FormScreen'),
})
const formStart = createRoute({
  getParentRoute: () => form,
  path: '/',
  // A form address without a tab opens the tab where the applicant stopped (D30), or the first tab (S51).
  beforeLoad: async ({ context, params }) => {
    const { startingTab } = await import('#screens/form/starting-tab.ts')
    const tab = await startingTab(context.services, params.appId)
    throw redirect({ to: `/form/$appId/$appNumber/${tab}`, params, replace: true })
  },
})
const generalTab = createRoute({
  getParentRoute: () => form,
  path: '/GeneralData',
  component: lazyScreen(() => import('#screens/form/general-tab.tsx'), 'GeneralTab'),
})
const personTab = createRoute({
  getParentRoute: () => form,
  path: '/PersonData',
  component: lazyScreen(() => import('#screens/form/person-tab.tsx'), 'PersonTab'),
})
const parentTab = createRoute({
  getParentRoute: () => form,
  path: '/ParentData',
  component: lazyScreen(() => import('#screens/form/parent-tab.tsx'), 'ParentTab'),
})
const documentsTab = createRoute({
  getParentRoute: () => form,
  path: '/NicData',
  component: lazyScreen(() => import('#screens/form/documents-tab.tsx'), 'DocumentsTab'),
})

const confirm = createRoute({
  getParentRoute: () => signedIn,
  path: '/confirm/$appId/$appNumber',
  params: { parse: parseApplication },
  beforeLoad: requireState('confirm'),
  component: lazyScreen(() => import('#screens/confirm/confirm-screen.tsx'), 'ConfirmScreen'),
})

const payment = createRoute({
  getParentRoute: () => signedIn,
  path: '/payment/$appId/$appNumber',
  params: { parse: parseApplication },
  beforeLoad: requireState('payment'),
  component: lazyScreen(() => import('#screens/payment/payment-screen.tsx'), 'PaymentScreen'),
})
const cardPayment = createRoute({
  getParentRoute: () => signedIn,
  path: '/cardPayment',
  component: lazyScreen(() => import('#screens/payment/card-payment-screen.tsx'), 'CardPaymentScreen'),
})
const payOtp = createRoute({
  getParentRoute: () => signedIn,
  path: '/payOtp/$appId/$appNumber/$paymentId',
  params: { parse: parsePayment },
  component: lazyScreen(() => import('#screens/payment/payment-code-screen.tsx'), 'PaymentCodeScreen'),
})
const payResult = createRoute({
  getParentRoute: () => signedIn,
  path: '/payResult/$appId/$appNumber/$paymentId',
  params: { parse: parsePayment },
  // The notice asks the payer to confirm the payment. Other pages do not know when that is over.
  onLeave: ({ context }) => context.services.notices.end('notice.confirmInApp'),
  component: lazyScreen(() => import('#screens/payment/payment-result-screen.tsx'), 'PaymentResultScreen'),
})

const appointment = createRoute({
  getParentRoute: () => signedIn,
  path: '/appointment/$appId/$appNumber',
  params: { parse: parseApplication },
  beforeLoad: requireState('appointment'),
  component: lazyScreen(() => import('#screens/appointment/appointment-screen.tsx'), 'AppointmentScreen'),
})
const changeAppointment = createRoute({
  getParentRoute: () => signedIn,
  path: '/appointment/$appId/$appNumber/$appointmentId',
  params: { parse: parseAppointment },
  beforeLoad: requireState('appointment'),
  component: lazyScreen(
    () => import('#screens/appointment/appointment-screen.tsx'),
    'ChangeAppointmentScreen',
  ),
})
const schedule = createRoute({
  getParentRoute: () => signedIn,
  path: '/schedule/$appId/$appNumber/$appointmentId',
  params: { parse: parseAppointment },
  beforeLoad: requireState('schedule'),
  component: lazyScreen(() => import('#screens/schedule/schedule-screen.tsx'), 'ScheduleScreen'),
})
const final = createRoute({
  getParentRoute: () => signedIn,
  path: '/final/$appId/$appNumber/$appointmentId',
  params: { parse: parseAppointment },
  beforeLoad: requireState('final'),
  component: lazyScreen(() => import('#screens/final/final-screen.tsx'), 'FinalScreen'),
})

const routeTree = root.addChildren([
  welcome,
  mobile,
  mail,
  password,
  verify,
  undo,
  help,
  legal,
  accessibility,
  privacy,
  signedIn.addChildren([
    procedure,
    account,
    form.addChildren([formStart, generalTab, personTab, parentTab, documentsTab]),
    confirm,
    payment,
    cardPayment,
    payOtp,
    payResult,
    appointment,
    changeAppointment,
    schedule,
    final,
  ]),
])

export function createPortalRouter(services: Services) {
  const { addresses } = services
  const router = createRouter({
    routeTree,
    context: { services },
    rewrite: addresses.rewrite,
    defaultPreload: false,
    defaultRemountDeps: idsOf,
    scrollRestoration: true,
    // When a guard waits for the server longer than one round trip of a slow network, a page says that it loads (D136).
    defaultPendingMs: 600,
    // By default the router shows the loading page for at least 500 ms, also when the answer has come.
    defaultPendingMinMs: 0,
    defaultPendingComponent: LoadingScreen,
    defaultNotFoundComponent: NotFoundScreen,
  })
  // The page may start at a readable address, for example of a scanned hand-over code: hide its ids at once (D31).
  const { href, state } = router.history.location
  const hidden = addresses.hide(href)
  if (hidden !== href) router.history.replace(hidden, state)
  return router
}

export type PortalRouter = ReturnType<typeof createPortalRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: PortalRouter
  }
}

type Raw<Name extends string> = Record<Name, string>

/** @throws like the two functions below, when a text of the address is not an id. Then `FailureScreen` is shown. */
function parseApplication({ appId, appNumber }: Raw<'appId' | 'appNumber'>) {
  return { appId: toApplicationId(appId), appNumber: toApplicationNumber(appNumber) }
}

function parseAppointment({ appointmentId, ...rest }: Raw<'appId' | 'appNumber' | 'appointmentId'>) {
  return { ...parseApplication(rest), appointmentId: toAppointmentId(appointmentId) }
}

function parsePayment({ paymentId, ...rest }: Raw<'appId' | 'appNumber' | 'paymentId'>) {
  return { ...parseApplication(rest), paymentId: toPaymentId(paymentId) }
}

/**
 * A screen keeps nothing, for example a typed code, for the next application, appointment or payment. The form stays,
 * because its application gets another id during typing, when the server has created the application (D33).
 */
function idsOf({ routeId, params }: { routeId: string; params: object }): object | undefined {
  return routeId.startsWith(form.id) ? undefined : params
}
