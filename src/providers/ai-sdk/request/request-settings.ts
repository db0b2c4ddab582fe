import { PromptValidationError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../../core/schema/index.ts';
import type { ModelSettings } from '../../../core/tool/index.ts';
import { splitSettings } from '../../kit/index.ts';
import type { AiSdkCallOptions, AiSdkVersion, ProviderOptions, WireObject } from '../wire/call-options.ts';

/** The settings of one call, in the model's format. */
export type AiSdkCallSettings = Pick<
  AiSdkCallOptions<'v4'>,
  | 'maxOutputTokens'
  | 'temperature'
  | 'topP'
  | 'topK'
  | 'presencePenalty'
  | 'frequencyPenalty'
  | 'stopSequences'
  | 'seed'
  | 'reasoning'
> & { readonly providerOptions: ProviderOptions; readonly headers: Readonly<Record<string, string>> };

const numbers = ['topK', 'presencePenalty', 'frequencyPenalty'] as const;
const knownKeys: readonly string[] = [...numbers, 'providerOptions', 'headers'];

/**
 * Settings of a call. Later ones take precedence; provider options and headers are merged one by one.
 *
 * @throws {PromptValidationError} for an unknown setting, or an invalid value.
 */
export function readSettings(version: AiSdkVersion, ...layers: readonly ModelSettings[]): AiSdkCallSettings {
  const read = layers.map((layer) => readLayer(version, layer));
  return {
    ...Object.assign({}, ...read.map(({ call }) => call)),
    providerOptions: mergeProviderOptions(...read.map(({ providerOptions }) => providerOptions)),
    headers: Object.assign({}, ...read.map(({ headers }) => headers)),
  };
}

interface Layer {
  readonly call: Omit<AiSdkCallSettings, 'providerOptions' | 'headers'>;
  readonly providerOptions: ProviderOptions;
  readonly headers: Readonly<Record<string, string>>;
}

function readLayer(version: AiSdkVersion, settings: ModelSettings): Layer {
  const { neutral, own } = splitSettings(settings, 'AI SDK', version === 'v4' ? {} : refusedByV3);
  const { stopSequences, reasoningEffort, ...plain } = neutral;
  for (const [key, value] of Object.entries(own)) {
    if (value !== undefined && !knownKeys.includes(key)) {
      const instead = `options of a single provider belong in providerOptions, such as { providerOptions: { anthropic: { … } } }`;
      throw fault(`There is no setting "${key}" for models of the AI SDK: ${instead}.`, key);
    }
  }
  const numeric = numbers.flatMap((key) => {
    const value = own[key];
    if (value === undefined) return [];
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw fault(`The setting ${key} must be a number, got ${JSON.stringify(value)}.`, key);
    }
    return [[key, value] as const];
  });
  return {
    call: {
      ...plain,
      ...Object.fromEntries(numeric),
      ...present({
        stopSequences: stopSequences === undefined ? undefined : [...stopSequences],
        reasoning: reasoningEffort,
      }),
    },
    providerOptions: readProviderOptions(own['providerOptions']),
    headers: readHeaders(own['headers']),
  };
}

const refusedByV3 = {
  reasoningEffort:
    'models of AI SDK 6 accept it in the provider’s own format, such as { providerOptions: { openai: { reasoningEffort: "low" } } }',
};

function readProviderOptions(value: unknown): ProviderOptions {
  if (value === undefined) return {};
  if (isSchemaObject(value) && Object.values(value).every((options) => isSchemaObject(options))) {
    // Each value was checked. The models' types have no read-only lists; no model writes into them.
    return value as unknown as ProviderOptions;
  }
  throw fault(
    'The setting providerOptions must have an object of options for each provider.',
    'providerOptions',
  );
}

function readHeaders(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {};
  if (isSchemaObject(value) && Object.values(value).every((header) => typeof header === 'string')) {
    // Each value was checked.
    return value as Readonly<Record<string, string>>;
  }
  throw fault('The setting headers must have a string for each header.', 'headers');
}

/** Merges options of providers: of the same option the last value applies. */
export function mergeProviderOptions(...all: readonly ProviderOptions[]): ProviderOptions {
  const merged: ProviderOptions = {};
  for (const options of all) {
    for (const [provider, own] of Object.entries(options)) merged[provider] = { ...merged[provider], ...own };
  }
  return merged;
}

/**
 * Adds the options of hosted tools to the options of providers. A list, such as one of servers, is appended to the existing
 * one; any other existing value is kept.
 *
 * @throws {PromptValidationError} for other additions to the request.
 */
export function addToProviderOptions(options: ProviderOptions, request: JsonObject): ProviderOptions {
  const { providerOptions, ...rest } = request;
  const [foreign] = Object.keys(rest);
  if (foreign !== undefined) {
    throw fault(
      `A codec for hosted tools can only add providerOptions to a request, not "${foreign}".`,
      foreign,
    );
  }
  const added = readProviderOptions(providerOptions);
  const joined = Object.entries(added).map(([provider, own]) => {
    const before = options[provider] ?? {};
    const entries = Object.entries(own).map(([key, value]) => [key, join(before[key], value)] as const);
    return [provider, Object.fromEntries(entries)] as const;
  });
  return mergeProviderOptions(options, Object.fromEntries(joined));
}

function join(before: WireObject[string], value: WireObject[string]): WireObject[string] {
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (before === undefined) return value;
  return isSchemaObject(before) && isSchemaObject(value) ? { ...value, ...before } : before;
}

function fault(message: string, key: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option: `settings.${key}` } });
}
