import { PromptValidationError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { isSchemaObject, type JsonObject } from '../../core/schema/index.ts';
import type { ModelSettings, ServiceTier, ToolChoice } from '../../core/tool/index.ts';
import {
  hasBudget,
  isOff,
  notSettable,
  refuseBoth,
  refuseControlled,
  refuseForModel,
  splitSettings,
} from '../kit/index.ts';

/**
 * The supported neutral settings (`maxOutputTokens`, `stopSequences`, `reasoningEffort`, `parallelToolCalls`, `serviceTier`), and settings in the provider's format such as
 * `thinking`, `metadata` or `top_k`.
 */
export type AnthropicSettings = ModelSettings;

/**
 * Keys that the prompt, the conversation and the options determine, or that this adapter does not support: with `compaction` an answer is a
 * summary and no turn.
 */
const ownKeys = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'mcp_servers'],
  ...['stream', 'thread', 'cache_control', 'betas', 'compaction', 'diagnostics'],
];

/** Sent within `tool_choice`. */
const oneByOneKey = 'disable_parallel_tool_use';

const noSampling = 'the Messages API does not support it any more; remove it';
const refused = { temperature: noSampling, topP: noSampling, seed: 'the provider does not support it' };

/**
 * Converts settings to the provider's format.
 *
 * @throws {PromptValidationError} for a setting that the provider does not support, that is out of range, or that the adapter
 *   controls.
 */
export function toWireSettings(settings: AnthropicSettings): JsonObject {
  const { neutral, own } = splitSettings(settings, 'Anthropic', refused);
  refuseControlled('Anthropic', own, ownKeys);
  const { output_config: config, max_tokens: maxTokens } = own;
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && Number(maxTokens) >= 1)) {
    throw unusable('max_tokens', 'a whole number of at least 1', maxTokens);
  }
  if (config !== undefined && !isSchemaObject(config)) throw unusable('output_config', 'an object', config);
  if (config?.['format'] !== undefined) throw notSettable('Anthropic', 'settings.output_config.format');
  const { maxOutputTokens, stopSequences, reasoningEffort, parallelToolCalls, serviceTier } = neutral;
  const [sameAsEffort, other] =
    reasoningEffort === 'none' ? ['thinking', own['thinking']] : ['output_config.effort', config?.['effort']];
  refuseBoth('maxOutputTokens', maxOutputTokens, 'max_tokens', maxTokens);
  refuseBoth('stopSequences', stopSequences, 'stop_sequences', own['stop_sequences']);
  refuseBoth('reasoningEffort', reasoningEffort, sameAsEffort, other);
  refuseBoth('parallelToolCalls', parallelToolCalls, oneByOneKey, own[oneByOneKey]);
  refuseBoth('serviceTier', serviceTier, 'service_tier', own['service_tier']);
  return merge(
    {
      ...present({
        max_tokens: maxOutputTokens,
        stop_sequences: stopSequences,
        [oneByOneKey]: parallelToolCalls === undefined ? undefined : !parallelToolCalls,
        service_tier: serviceTier === undefined ? undefined : toTier(serviceTier),
      }),
      ...(reasoningEffort === undefined ? {} : toEffort(reasoningEffort)),
    },
    own,
  );
}

/** Merges settings for one request, `output_config` one level deep; those of the evaluation take precedence. */
export function mergeSettings(adapter: AnthropicSettings, evaluation: AnthropicSettings): JsonObject {
  const { reasoningEffort, ...others } = adapter;
  // "none" and the levels are different fields of the request; only one of them may be set.
  const outer = evaluation.reasoningEffort === undefined ? { ...others, reasoningEffort } : others;
  return merge(toWireSettings(outer), toWireSettings(evaluation));
}

/** @throws {PromptValidationError} for what the model is known to refuse. */
export function checkForModel(
  model: string,
  toolChoice: ToolChoice,
  adapter: AnthropicSettings,
  evaluation: AnthropicSettings,
): void {
  const settings = mergeSettings(adapter, evaluation);
  const { thinking, output_config: config } = settings;
  const effort = evaluation.reasoningEffort ?? adapter.reasoningEffort;
  refuseForModel({
    model,
    toolChoice,
    hasBudget: hasBudget(thinking),
    thinkingOff: isOff(thinking)
      ? `settings.${effort === 'none' ? 'reasoningEffort' : 'thinking'}`
      : undefined,
    effort: isSchemaObject(config) ? config['effort'] : undefined,
  });
}

/** `auto` uses the capacity that an account has reserved, and the standard tier where there is none. */
function toTier(tier: ServiceTier): JsonObject[string] {
  if (tier !== 'flex') return tier === 'standard' ? 'standard_only' : 'auto';
  throw new PromptValidationError(
    'The Anthropic adapter has no setting "serviceTier: flex": the provider has the tiers standard and priority.',
    { details: { option: 'settings.serviceTier', value: tier } },
  );
}

function toEffort(effort: NonNullable<ModelSettings['reasoningEffort']>): JsonObject {
  if (effort === 'none') return { thinking: { type: 'disabled' } };
  if (effort !== 'minimal') return { output_config: { effort } };
  throw new PromptValidationError(
    'The Anthropic adapter has no setting "reasoningEffort: minimal": the provider supports none, low, medium, high, xhigh and max. The nearest is low.',
    { details: { option: 'settings.reasoningEffort', value: effort } },
  );
}

function merge(outer: JsonObject, inner: JsonObject): JsonObject {
  const configs = [outer['output_config'], inner['output_config']].filter((it) => isSchemaObject(it));
  return {
    ...outer,
    ...inner,
    ...present({ output_config: configs.length === 0 ? undefined : Object.assign({}, ...configs) }),
  };
}

function unusable(setting: string, expected: string, value: JsonObject[string]): PromptValidationError {
  return new PromptValidationError(`The setting ${setting} must be ${expected}.`, {
    details: { option: `settings.${setting}`, value },
  });
}
