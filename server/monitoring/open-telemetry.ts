import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import { release } from '#server/config/asset-path.ts'
import { machineClock } from '#server/config/machine-clock.ts'
import type { NewSpan, Tracer } from '#server/calls/tracing.ts'

/** A collector that does not answer must not delay the stop of the process. */
const stopTimeoutMs = 2_000

/**
 * Loads the packages of OpenTelemetry and returns a tracer that sends spans by OTLP over HTTP, as the standard variables
 * OTEL_* say: address, headers, sampler, batches, name of the service. Only called when tracing is on, so that a process
 * without it does not even load the packages (D106).
 */
export async function openTracer(): Promise<Tracer> {
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api
  const own = resources.resourceFromAttributes({
    'service.name': 'passport-portal',
    'service.version': release,
    'host.name': hostname(),
    'process.pid': process.pid,
  })
  const named = resources.detectResources({ detectors: [resources.envDetector] })
  const provider = new sdk.BasicTracerProvider({
    resource: own.merge(named),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  const tracer = provider.getTracer('passport-portal', release)
  const contexts = new AsyncLocalStorage<typeof ROOT_CONTEXT>()
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

  function begin({ name, kind, attributes = {} }: NewSpan, startTime?: number) {
    const parent = contexts.getStore() ?? ROOT_CONTEXT
    const options = { kind: kinds[kind], attributes, ...(startTime !== undefined && { startTime }) }
    return { span: tracer.startSpan(name, options, parent), parent }
  }

  return {
    start(started) {
      const { span, parent } = begin(started)
      return {
        run: work => contexts.run(trace.setSpan(parent, span), work),
        end({ attributes = {}, hasFailed }) {
          span.setAttributes(attributes)
          if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    record(ended, { durationMs, hasFailed }) {
      // The time of the machine: collectors compare the spans of all its programs.
      const now = machineClock.now().getTime()
      const { span } = begin(ended, now - durationMs)
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(now)
    },
    async stop() {
      const timeout = new Promise<void>(resolve => setTimeout(resolve, stopTimeoutMs).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), timeout])
    },
  }
}
