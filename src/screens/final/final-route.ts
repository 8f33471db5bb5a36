import { useParams } from '@tanstack/react-router'

/** Returns the URL parameters of the final page, which shows the booked appointment and the receipt. */
export function useFinalParams() {
  return useParams({ from: '/signed-in/final/$appId/$appNumber/$appointmentId' })
}
