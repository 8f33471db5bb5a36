import { Fragment, type ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { helpPhone } from '#contract/codes.ts'
import type { PublicInfo } from '#contract/session.ts'
import { type MessageKey, useText } from '#i18n/intl.ts'
import { usePublicInfo } from '#app/services.ts'
import { ContactLinks } from '#ui/contact-links.tsx'
import { Page, Section } from '#ui/page.tsx'
import styles from './legal-page.module.css'

type LegalPageProps = {
  heading: MessageKey
  lead: MessageKey
  /** The sections in their order. Each line of the text is a paragraph; `after` follows the text. */
  sections: readonly (readonly [heading: MessageKey, text: MessageKey, after?: ReactNode])[]
}

/**
 * One of the pages to which the footer leads: who is responsible, the sections of the page, and how to reach help
 * (NAV27). `data-listen` marks the texts that the button at the heading reads aloud.
 */
export function LegalPage({ heading, lead, sections }: LegalPageProps) {
  const t = useText()
  const page = t(heading)
  const info = usePublicInfo()
  return (
    <Page heading={page} lead={t(lead)}>
      <title>{t('app.title', { page })}</title>
      <Issuer info={info} />
      {sections.map(([title, text, after]) => (
        <Section key={title} heading={t(title)}>
          <Paragraphs text={t(text)} />
          {after}
        </Section>
      ))}
      <Section heading={t('legal.contact')}>
        <Contacts help={info.help} />
      </Section>
    </Page>
  )
}

/** The authority that runs the service, as far as its configuration says; no name, law or address is assumed. */
function Issuer({ info }: { info: PublicInfo }) {
  const t = useText()
  const { state = '', authority = '', address = '', host = '' } = info.issuer ?? {}
  const isDemo = info.isDemo === true
  const lines = [authority, state, address].filter(line => line !== '')
  return (
    <Section heading={t('legal.operator')}>
      <div className={styles.paragraphs} data-listen>
        {isDemo && <p>{t('legal.demo')}</p>}
        {lines.length > 0 && (
          <p>
            {lines.map(line => (
              <Fragment key={line}>
                {line}
                <br />
              </Fragment>
            ))}
          </p>
        )}
        {/* A demonstration has no authority that could name itself, or be asked. */}
        {lines.length === 0 && !isDemo && <p>{t('legal.operatorUnknown')}</p>}
        {host !== '' && <p>{t('legal.host', { host })}</p>}
        {host === '' && !isDemo && <p>{t('legal.hostUnknown')}</p>}
      </div>
    </Section>
  )
}

/**
 * Shows only the hotline `helpPhone` when the server names no contacts, and before its first answer if this device has
 * saved none.
 */
function Contacts({ help }: { help: PublicInfo['help'] }) {
  const t = useText()
  const { phone, email } = help ?? { phone: helpPhone, email: undefined }
  return (
    <div className={styles.paragraphs} data-listen>
      <ContactLinks
        phone={phone}
        callText={t('legal.call', { phone })}
        mail={email === undefined ? undefined : { address: email, text: t('legal.write', { email }) }}
      />
      <p className="link-line">
        <Link to="/help">{t('legal.help')}</Link>
      </p>
    </div>
  )
}

function Paragraphs({ text }: { text: string }) {
  return (
    <div className={styles.paragraphs} data-listen>
      {text.split('\n').map(line => (
        <p key={line}>{line}</p>
      ))}
    </div>
  )
}
