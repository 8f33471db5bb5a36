import * as z from 'zod/mini'
import { oneOf, text, url } from './config-values.ts'

/** The standard variables of OpenTelemetry that this server reads itself. Its packages read the others. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.optional(url(['http', 'https'])),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.optional(url(['http', 'https'])),
  OTEL_EXPORTER_OTLP_PROTOCOL: text(onlyProtocol()),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none'], 'otlp'),
  OTEL_SDK_DISABLED: oneOf(['true', 'false'], 'false'),
}

type TracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined
  OTEL_EXPORTER_OTLP_PROTOCOL: string
  OTEL_TRACES_EXPORTER: string
  OTEL_SDK_DISABLED: string
}

/** Off unless an address is set: the standard would send spans to this machine, where perhaps no collector listens. */
export function isTracing(read: TracingVariables): boolean {
  const address = read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? read.OTEL_EXPORTER_OTLP_ENDPOINT
  return address !== undefined && read.OTEL_TRACES_EXPORTER === 'otlp' && read.OTEL_SDK_DISABLED === 'false'
}

/** A collector accepts Protobuf and JSON at its HTTP port, and gRPC at another one. This server sends only JSON. */
export function tracingFaults(read: TracingVariables): string[] {
  return isTracing(read) && read.OTEL_EXPORTER_OTLP_PROTOCOL !== onlyProtocol()
    ? [
        `OTEL_EXPORTER_OTLP_PROTOCOL must be ${onlyProtocol()}: use the HTTP port of the collector, usually 4318.`,
      ]
    : []
}

function onlyProtocol(): string {
  return 'http/json'
}
