/** Whether the share sheet of this browser accepts a PDF file. Older browsers do not have `canShare`. */
export function canShareFiles(): boolean {
  if (!('canShare' in navigator) || !('share' in navigator)) return false
  return navigator.canShare({ files: [new File([''], 'a.pdf', { type: 'application/pdf' })] })
}

/** Opens the share sheet. Resolves to false when the applicant cancels. @throws DOMException for any other failure */
export async function shareFile(file: Blob, name: string): Promise<boolean> {
  try {
    await navigator.share({ files: [new File([file], name, { type: file.type })], title: name })
    return true
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return false
    throw error
  }
}
