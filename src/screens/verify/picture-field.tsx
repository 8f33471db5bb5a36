import { type ChangeEvent, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Field } from '#ui/field.tsx'

/** Reads the code from a photo. The camera app of the phone takes it, so the portal needs no camera permission. */
export function PictureField({ onCode }: { onCode: (code: string) => void }) {
  const t = useText()
  const { device } = useServices()
  const [isUnreadable, setUnreadable] = useState(false)

  async function read({ target }: ChangeEvent<HTMLInputElement>) {
    const [picture] = target.files ?? []
    if (!picture) return
    const code = await device.readQrCode(picture)
    // Lets the same picture be chosen again, which otherwise emits no change event.
    target.value = ''
    setUnreadable(code === undefined)
    if (code !== undefined) onCode(code)
  }

  return (
    <Field id="picture" label={t('verify.picture')} error={isUnreadable ? t('verify.noCode') : undefined}>
      {wiring => (
        <input
          type="file"
          id="picture"
          name="picture"
          accept="image/*"
          capture="environment"
          aria-describedby={wiring.describedBy}
          aria-invalid={wiring.invalid || undefined}
          onChange={event => void read(event)}
        />
      )}
    </Field>
  )
}
