/**
 * Longer than a pointer press takes. After a field loses the focus a screen waits so long before it shows a message, which
 * would move the button under the press.
 */
export const longestPressMs = 400
