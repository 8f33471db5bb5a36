/** Whether this browser can hand a file to another app: a chat, a printer, the cloud. Undefined on older ones. */
export function canShareFiles(): boolean {
  if (!('canShare' in navigator) || !('share' in navigator)) return false
  return navigator.canShare({ files: [new File([''], 'a.pdf', { type: 'application/pdf' })] })
}

/** Shows the phone's own sheet; whether the applicant chose somebody. Anything else than a change of mind is thrown. */
export async function shareFile(file: Blob, name: string): Promise<boolean> {
  try {
    await navigator.share({ files: [new File([file], name, { type: file.type })], title: name })
    return true
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return false
    throw error
  }
}
