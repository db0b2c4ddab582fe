import { type Meter, metrics, type Tracer, trace } from '@opentelemetry/api';
import { describe, expectTypeOf, test } from 'vitest';
import type { RunObserver } from 'weakincentives';
import { otelObserver } from 'weakincentives/otel';
import type { OtelMeter, OtelTracer } from '../../src/record/otel/otel-api.ts';

describe('otelObserver', () => {
  test('takes tracers and meters of OpenTelemetry, and makes an observer', () => {
    expectTypeOf<Tracer>().toExtend<OtelTracer>();
    expectTypeOf<Meter>().toExtend<OtelMeter>();
    const observer = otelObserver({ tracer: trace.getTracer('test'), meter: metrics.getMeter('test') });
    expectTypeOf(observer).toEqualTypeOf<RunObserver>();
    // @ts-expect-error -- a tracer is required
    otelObserver({});
    // @ts-expect-error -- a version that is not known
    otelObserver({ tracer: trace.getTracer('test'), semconv: 'ai-sdk-6' });
  });
});
