import { createContext, type ReactNode } from 'react'

/**
 * A control beside the heading of every page and dialog: the button that reads the page aloud. Null until it has loaded;
 * it never loads on a device without voices.
 */
export const HeadingTool = createContext<ReactNode>(null)
