import { lineFaults, type Step, type Story } from './story.ts'

/** Tells a story in plain words, one step on each line. */
export function tellStory({ seed, maxOpenApplications, steps }: Story): string {
  const limit = `The server allows ${maxOpenApplications === 1 ? 'one open application' : 'two open applications'}.`
  return [`Seed ${seed}. ${limit}`, ...steps.map((step, index) => `${index + 1}. ${tellStep(step)}`)].join(
    '\n',
  )
}

function tellStep(step: Step): string {
  switch (step.kind) {
    case 'wait':
      return `${step.ms} ms pass.`
    case 'type':
    case 'type part':
      return `The applicant types ${step.value} into ${step.field} in tab ${step.tab}.`
    case 'open':
      return `Tab ${step.tab} opens the form of application ${step.index + 1} of its list.`
    case 'start':
      return `Tab ${step.tab} starts an application.`
    case 'kill':
      return step.afterMs === undefined
        ? `Tab ${step.tab} dies.`
        : `Tab ${step.tab} dies ${step.afterMs} ms after its next write begins.`
    case 'close':
      return `The applicant closes tab ${step.tab}.`
    case 'choose':
      return `The applicant picks ${step.theirs ? "the server's" : 'the own'} answer of each conflict in tab ${step.tab}.`
    case 'show':
      return `Tab ${step.tab} becomes visible.`
    case 'submit':
      return `The applicant presses Submit in tab ${step.tab}.`
    case 'restart':
      return `Tab ${step.tab} makes a new application of a draft that the server does not know.`
    case 'restore answers':
      return `The applicant restores the newest earlier answers in tab ${step.tab}.`
    case 'hang':
    case 'failing reads':
    case 'type back':
    case 'confirm':
    case 'delete':
      return tellNewerStep(step)
    case 'server':
      return tellServerEvent(step)
    case 'log out':
    case 'sign in as':
      return tellSessionStep(step)
    default:
      return tellPhoneStep(step)
  }
}

function tellNewerStep(
  step: Extract<Step, { kind: 'hang' | 'failing reads' | 'type back' | 'confirm' | 'delete' }>,
): string {
  switch (step.kind) {
    case 'hang':
      return `The next write of a draft in tab ${step.tab} ${step.moment}, by ${step.forMs} ms.`
    case 'failing reads':
      return `For ${step.forMs} ms the reads of tab ${step.tab} that begin during one of its writes fail ${step.moment}.`
    case 'type back':
      return `In tab ${step.tab} the applicant types the answer again that the last typed one has replaced.`
    case 'confirm': {
      const answer = `${step.isFirstAnswerLost ? ', the first answer is lost' : ''}, an answer is ${step.answerLateMs} ms late`
      return `${step.isLineGood ? `The line of tab ${step.tab} becomes good. ` : ''}The applicant reads the data for ${step.firstPressAfterMs} ms and presses Confirm at most ${step.presses} times in tab ${step.tab}${answer}${tellAtPress(step)}.`
    }
    case 'delete':
      return `${step.isLineGood ? `The line of tab ${step.tab} becomes good. ` : ''}The applicant deletes application ${step.index + 1} of the list of tab ${step.tab}.`
  }
}

function tellAtPress({ typedAtPress }: Extract<Step, { kind: 'confirm' }>): string {
  if (!typedAtPress) return ''
  const { tab, field, value } = typedAtPress
  return `; at the press tab ${tab} reads the server's copy, and the applicant types ${value} into ${field} there`
}

function tellSessionStep(step: Extract<Step, { kind: 'log out' | 'sign in as' }>): string {
  const line = step.fault === undefined ? '' : ` The first request ${lineFaults[step.fault]}.`
  if (step.kind === 'sign in as')
    return `In tab ${step.tab} ${step.applicantId} signs in, ${step.isShared ? 'as on a shared device' : 'as on an own phone'}.${line}`
  const unsent = step.givesUpUnsent
    ? 'gives up what could not be sent'
    : 'stays if something could not be sent'
  return step.reason === 'inactivity'
    ? `The portal logs out in tab ${step.tab} after inactivity.${line}`
    : `The applicant logs out in tab ${step.tab}, and ${unsent}.${line}`
}

function tellServerEvent({ event, index }: Extract<Step, { kind: 'server' }>): string {
  switch (event) {
    case 'back up':
      return 'The server is backed up.'
    case 'restore':
      return 'The server is restored from the backup.'
    case 'close form':
      return `Application ${index + 1} of the server is paid on another device, which closes its form.`
    case 'vanish':
      return `Application ${index + 1} of the server vanishes.`
  }
}

function tellPhoneStep(step: Extract<Step, { phone: string }>): string {
  const phone = `phone ${step.phone}`
  switch (step.kind) {
    case 'power cut':
      return `The battery of ${phone} runs out.`
    case 'sign out':
      return `The applicant logs out on ${phone}.`
    case 'sign in':
      return `The applicant signs in on ${phone}.`
    case 'expire':
      return `The access token of ${phone} expires.`
    case 'lock':
      return `Phone ${step.phone} is a shared device and logs out after inactivity.`
    case 'clock':
      return `The clock of ${phone} jumps by ${step.byMs / 3_600_000} h.`
    case 'fault':
      return `The next request of ${phone} ${lineFaults[step.fault]}.`
    case 'storage':
      return `Storage of ${phone}: ${step.trouble === 'none' ? 'works again' : step.trouble}.`
    case 'old release':
      return `Phone ${step.phone} has a draft from the release with database version ${step.version}: surname is ${step.value}.`
  }
}
