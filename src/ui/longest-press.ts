/**
 * Almost every pointer press is shorter. After a field loses the focus, a screen waits this long before it shows a message:
 * the message would move the button under the press.
 */
export const longestPressMs = 400
