import { type ChangeEvent, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Field } from '#ui/field.tsx'

/** The code by the camera: the phone's own takes the picture, so the portal never asks to look through it. */
export function PictureField({ onCode }: { onCode: (code: string) => void }) {
  const t = useText()
  const { device } = useServices()
  const [missed, setMissed] = useState(false)

  async function read({ target }: ChangeEvent<HTMLInputElement>) {
    const [picture] = target.files ?? []
    if (!picture) return
    const code = await device.readQrCode(picture)
    // The same picture may be chosen again.
    target.value = ''
    setMissed(code === undefined)
    if (code !== undefined) onCode(code)
  }

  return (
    <Field id="picture" label={t('verify.picture')} error={missed ? t('verify.noCode') : undefined}>
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
