import { buttonClass, type ButtonVariant } from './button.tsx'

/** The look of a button for a link: `<Link className={linkButtonClass('primary')}>`; the router makes the link. */
export function linkButtonClass(variant: ButtonVariant = 'primary'): string {
  return buttonClass(variant)
}
