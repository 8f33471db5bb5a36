import { useState } from 'react'
import { type AccountContact, otherKind } from '#contract/account.ts'
import { showShortened } from '#contract/short-contact.ts'
import { isHandledByScreen } from '#api/result.ts'
import { useText } from '#i18n/intl.ts'
import { useLanguage } from '#i18n/use-language.ts'
import { useServices } from '#app/services.ts'
import { ContactProof } from '#sign-in/contact-proof.tsx'
import type { Contact } from '#sign-in/pending-sign-in.ts'
import { Button } from '#ui/button.tsx'
import { Section } from '#ui/page.tsx'
import { takeFocus } from '#ui/take-focus.ts'
import { SummaryList } from '#ui/summary-list.tsx'
import { VisuallyHidden } from '#ui/visually-hidden.tsx'

type ContactListProps = {
  contacts: readonly AccountContact[]
  /** The contacts in full; a code to one of them allows the removal of the other. */
  own: { msisdn: string | null; email: string | null }
  onChange: () => void
}

/** The contacts that sign in to the account. The last one cannot be removed. */
export function ContactList({ contacts, own, onChange }: ContactListProps) {
  const t = useText()
  const [removing, setRemoving] = useState<AccountContact['kind']>()
  const [lastRemoving, setLastRemoving] = useState<AccountContact['kind']>()
  return (
    <Section headingId="contacts-heading" heading={t('account.contacts')}>
      <SummaryList
        rows={contacts.map(contact => ({
          term: t(`account.kind.${contact.kind}`),
          value: <ShortContact contact={contact} />,
          // `own`, from the access token, may be older than the list. Without the other contact no proof is possible.
          action: contacts.length > 1 && removing === undefined && findOther(contact.kind, own) && (
            // After Cancel, the focus returns to the button that opened the form.
            <Button
              ref={contact.kind === lastRemoving ? takeFocus : undefined}
              variant="quiet"
              onClick={() => (setRemoving(contact.kind), setLastRemoving(contact.kind))}
            >
              {t(`account.remove.${contact.kind}`)}
            </Button>
          ),
        }))}
      />
      {removing && (
        <Removal
          kind={removing}
          other={findOther(removing, own)}
          onDone={() => {
            setRemoving(undefined)
            setLastRemoving(undefined)
            onChange()
          }}
          onCancel={() => setRemoving(undefined)}
        />
      )}
    </Section>
  )
}

/** The middle of a contact is hidden, because other people may see the screen. */
function ShortContact({ contact }: { contact: AccountContact }) {
  const t = useText()
  const { kind, start, end } = contact
  return (
    <>
      <span aria-hidden="true">{showShortened(contact)}</span>
      <VisuallyHidden>{t(`account.short.${kind}`, { start, end })}</VisuallyHidden>
    </>
  )
}

type RemovalProps = {
  kind: AccountContact['kind']
  other: Contact | undefined
  onDone: () => void
  onCancel: () => void
}

function Removal({ kind, other, onDone, onCancel }: RemovalProps) {
  const t = useText()
  const { call, notices, session } = useServices()
  const language = useLanguage()
  if (!other) return null

  async function remove(isWanted: () => boolean) {
    const hasEnded = session.watchEnd()
    const input = { query: { lg: language }, body: { kind } }
    const result = await call('removeContact', input, { isWanted })
    // The contact is removed, also when this page cannot take the new token.
    if (result.ok) await session.takeToken(result.value.data)
    if (result.ok && !hasEnded()) {
      notices.raise('success', { key: 'notice.contactRemoved' })
      return onDone()
    }
    if (!result.ok && isHandledByScreen(result.problem)) notices.raise('warning', { key: 'notice.generic' })
    // After Cancel, the form may be open for another removal.
    if (isWanted()) onCancel()
  }

  return (
    <ContactProof
      contact={other}
      confirm={{ label: t(`account.remove.${kind}`), variant: 'primary' }}
      {...{ onCancel, onProven: remove }}
    >
      <p>{t(`account.removal.${kind}`)}</p>
    </ContactProof>
  )
}

function findOther(kind: AccountContact['kind'], own: ContactListProps['own']): Contact | undefined {
  const value = kind === 'phone' ? own.email : own.msisdn
  return value ? { method: otherKind(kind), value } : undefined
}
