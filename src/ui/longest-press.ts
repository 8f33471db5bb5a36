/**
 * Almost every pointer press is shorter. When a press may have taken the focus from a field, a screen waits this long before
 * it shows a message: the message would move the button under the press.
 */
export const longestPressMs = 400
