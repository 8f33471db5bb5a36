import { createContext, type ReactNode } from 'react'

/** A control beside the heading of every page and dialog; null until the shell has one. */
export const HeadingTool = createContext<ReactNode>(null)
