import type { TokenUsage } from '../../core/tool/index.ts';
import type { SemconvNames } from './names.ts';
import type { OtelAttributes, OtelHistogram, OtelMeter } from './otel-api.ts';

/** `count` numbers, each `factor` times the one before. */
function scale(first: number, factor: number, count: number): number[] {
  // Rounded, so that 0.1 times 2 stays 0.2.
  return Array.from({ length: count }, (_, index) => Number((first * factor ** index).toPrecision(12)));
}

/** The metrics of runs: instruments are made once, measurements are in seconds and tokens. */
export class RunMetrics {
  readonly #names: SemconvNames;
  readonly #made: ReturnType<typeof instruments>;

  constructor(meter: OtelMeter, names: SemconvNames) {
    this.#names = names;
    this.#made = instruments(meter, names);
  }

  modelCall(durationMs: number, attributes: OtelAttributes, usage: TokenUsage | undefined): void {
    this.#made.inferenceDuration.record(durationMs / 1000, attributes);
    if (usage === undefined) return;
    const { [this.#names.attributes.errorType]: _error, ...others } = attributes;
    this.#made.countTokens(usage, others);
  }

  toolCall(durationMs: number, attributes: OtelAttributes): void {
    this.#made.toolDuration.record(durationMs / 1000, attributes);
  }

  reruns(count: number, attributes: OtelAttributes): void {
    if (count > 0) this.#made.reruns.add(count, attributes);
  }

  rollback(attributes: OtelAttributes): void {
    this.#made.rollbacks.add(1, attributes);
  }

  run(
    measured: { readonly durationMs: number; readonly modelCalls: number; readonly toolCalls: number },
    attributes: OtelAttributes,
  ): void {
    const { [this.#names.attributes.errorType]: _error, ...others } = attributes;
    this.#made.agentDuration.record(measured.durationMs / 1000, attributes);
    this.#made.inferenceCalls.record(measured.modelCalls, others);
    this.#made.toolCalls.record(measured.toolCalls, others);
  }
}

type Histogram = (name: string, unit: string, description: string, buckets: number[]) => OtelHistogram;

function instruments(meter: OtelMeter, names: SemconvNames) {
  const histogram: Histogram = (name, unit, description, buckets) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries: buckets } });
  const seconds = scale(0.01, 2, 14);
  const counts = scale(1, 2, 8);
  const perRun = (name: string, unit: string, what: string): OtelHistogram =>
    histogram(name, unit, `${what} of a run.`, counts);
  return {
    inferenceDuration: histogram(names.inferenceDuration, 's', 'Duration of model calls.', seconds),
    toolDuration: histogram(names.toolDuration, 's', 'Duration of tool calls.', seconds),
    agentDuration: histogram(names.agentDuration, 's', 'Duration of runs.', scale(0.1, 2, 13)),
    inferenceCalls: perRun(names.agentInferenceCalls, '{inference_call}', 'Model calls'),
    toolCalls: perRun(names.agentToolCalls, '{tool_call}', 'Tool calls'),
    reruns: meter.createCounter('wink.tool.reruns', {
      unit: '{attempt}',
      description: 'Attempts at tool calls after one that read what others changed.',
    }),
    rollbacks: meter.createCounter('wink.tool.rollbacks', {
      unit: '{tool_call}',
      description: 'Tool calls whose changes were rolled back.',
    }),
    countTokens: tokenCounter(meter, histogram, names),
  };
}

function tokenCounter(
  meter: OtelMeter,
  histogram: Histogram,
  { tokens }: SemconvNames,
): (usage: TokenUsage, attributes: OtelAttributes) => void {
  const unit = '{token}';
  const buckets = scale(1, 4, 14);
  if (tokens.kind === 'histogram') {
    const usageOf = histogram(tokens.usage, unit, 'Tokens of model calls.', buckets);
    return ({ inputTokens, outputTokens }, attributes) => {
      if (inputTokens !== undefined) usageOf.record(inputTokens, { ...attributes, [tokens.type]: 'input' });
      if (outputTokens !== undefined)
        usageOf.record(outputTokens, { ...attributes, [tokens.type]: 'output' });
    };
  }
  const counters = (
    [
      ['inputTokens', tokens.input, 'Input tokens, those of the cache included.'],
      ['outputTokens', tokens.output, 'Output tokens, those of reasoning included.'],
      ['cachedInputTokens', tokens.cacheRead, 'Input tokens that were read from a cache.'],
      ['cacheWriteInputTokens', tokens.cacheWrite, 'Input tokens that were written to a cache.'],
      ['reasoningTokens', tokens.reasoning, 'Output tokens of reasoning.'],
    ] as const
  ).map(([field, name, description]) => [field, meter.createCounter(name, { unit, description })] as const);
  const perInput = histogram(tokens.perInput, unit, 'Input tokens of a model call.', buckets);
  const perOutput = histogram(tokens.perOutput, unit, 'Output tokens of a model call.', buckets);
  return (usage, attributes) => {
    // Providers do not break tokens down by modality.
    const counted = { ...attributes, [tokens.modality]: 'unknown' };
    for (const [field, counter] of counters) {
      const amount = usage[field];
      if (amount !== undefined) counter.add(amount, counted);
    }
    if (usage.inputTokens !== undefined) perInput.record(usage.inputTokens, attributes);
    if (usage.outputTokens !== undefined) perOutput.record(usage.outputTokens, attributes);
  };
}
