import { useParams } from '@tanstack/react-router'

export function useFinalParams() {
  return useParams({ from: '/signed-in/final/$appId/$appNumber/$appointmentId' })
}
