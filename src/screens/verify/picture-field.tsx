import { type ChangeEvent, useRef, useState } from 'react'
import { useText } from '#i18n/intl.ts'
import { useServices } from '#app/services.ts'
import { Field } from '#ui/field.tsx'

/**
 * Reads the QR code of a receipt from a photo. The phone's camera app takes the photo: the portal needs no permission.
 * `onRead`: called with undefined when the read of a photo begins. Called again with the code, or with undefined for a
 * photo without one, unless a newer photo was chosen in between.
 */
export function PictureField({ onRead }: { onRead: (code: string | undefined) => void }) {
  const t = useText()
  const { device } = useServices()
  const [isUnreadable, setUnreadable] = useState(false)
  const lastPicture = useRef<Blob>(undefined)

  async function read({ target }: ChangeEvent<HTMLInputElement>) {
    const [picture] = target.files ?? []
    if (!picture) return
    lastPicture.current = picture
    setUnreadable(false)
    // The result of the previous receipt must not be shown while an official holds the next one.
    onRead(undefined)
    const code = await device.readQrCode(picture)
    // A slow phone may read an earlier photo for longer than the last one.
    if (lastPicture.current !== picture) return
    // Without this, choosing the same picture again would emit no change event.
    target.value = ''
    setUnreadable(code === undefined)
    onRead(code)
  }

  return (
    <Field id="picture" label={t('verify.picture')} error={isUnreadable ? t('verify.noCode') : undefined}>
      {aria => (
        <input
          type="file"
          id="picture"
          name="picture"
          accept="image/*"
          capture="environment"
          aria-describedby={aria.describedBy}
          aria-invalid={aria.invalid || undefined}
          onChange={event => void read(event)}
        />
      )}
    </Field>
  )
}
