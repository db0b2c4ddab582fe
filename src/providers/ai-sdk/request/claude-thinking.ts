import { none, present } from '../../../core/internal/index.ts';
import type { ConversationItem, ToolChoice } from '../../../core/runtime/index.ts';
import { isSchemaObject } from '../../../core/schema/index.ts';
import {
  effortWithoutThinking,
  hasBudget,
  isOff,
  mayThink,
  objectsIn,
  refuseForModel,
  startOfLoop,
  thinksByBudget,
  type WireFields,
  withoutBudgetThinking,
} from '../../kit/index.ts';
import type { ProviderOptions, WireObject } from '../wire/call-options.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import type { AiSdkCallSettings } from './request-settings.ts';

/** What a request says about thinking. */
type ThinkingSettings = Pick<AiSdkCallSettings, 'reasoning' | 'providerOptions'>;

/** How a model that is Claude is asked. */
export interface ClaudeOptions {
  /** Name that identifies the model's own answers. */
  readonly provider: string;
  readonly modelId: string;
  /** Whether the package may turn an effort into thinking with a budget. */
  readonly knowsEffort: boolean;
}

/** The thinking of a request to Claude. */
export interface ClaudeThinking extends ThinkingSettings {
  /** Whether the settings ask for thinking that the provider would reject. */
  readonly isRefused: boolean;
  /** The index of the first turn that goes back without thinking. */
  readonly withoutThinkingFrom: number;
}

/**
 * The settings of a request to Claude, without thinking that the provider would reject for this conversation.
 */
export function toClaudeThinking(
  settings: ThinkingSettings,
  conversation: readonly ConversationItem[],
  { provider, knowsEffort }: ClaudeOptions,
): ClaudeThinking {
  const plain = withoutBudget(settings, knowsEffort);
  const isRefused =
    plain !== settings &&
    !mayThink(conversation, {
      isOwn: ({ raw }) => raw?.provider === provider,
      hasThinking: ({ raw }) => objectsIn(raw?.items).some(isSignedThinking),
    });
  const sent = isRefused ? plain : settings;
  return {
    ...sent,
    isRefused,
    withoutThinkingFrom: isRefused || isThinkingOff(sent) ? startOfLoop(conversation) : conversation.length,
  };
}

/** Reasoning with the signature that packages need to send it back, in whatever form. */
function isSignedThinking(part: WireFields): boolean {
  return part['type'] === 'reasoning' && Object.keys(providerMetadataOf(part)).length > 0;
}

/**
 * What a request would ask of a model that it is known to refuse. Packages make something else of it, with a warning.
 *
 * @throws {PromptValidationError} which names the option.
 */
export function checkClaude(
  toolChoice: ToolChoice,
  { reasoning, providerOptions }: ThinkingSettings,
  { modelId, knowsEffort }: ClaudeOptions,
): void {
  const entries = Object.entries(providerOptions);
  const thinking = entries.flatMap(([, options]) => thinkingIn(options));
  const off = entries.find(([, options]) => thinkingIn(options).some(isOff))?.[0];
  const isEffort = reasoning !== undefined && reasoning !== 'none' && thinking.length === 0;
  const own = off === undefined ? undefined : `settings.providerOptions.${off}.thinking`;
  refuseForModel({
    model: modelId,
    toolChoice,
    hasBudget: thinking.some(hasBudget) || (knowsEffort && isEffort && thinksByBudget(modelId)),
    thinkingOff: reasoning === 'none' && thinking.length === 0 ? 'settings.reasoningEffort' : own,
    effort: entries.flatMap(([, { effort }]) => effort ?? none)[0] ?? reasoning,
  });
}

/** The same object where no thinking with a budget is asked for. */
function withoutBudget(settings: ThinkingSettings, knowsEffort: boolean): ThinkingSettings {
  const { reasoning, providerOptions } = settings;
  const entries = Object.entries(providerOptions);
  const plain = entries.map(([name, options]) => [name, withoutBudgetIn(options)] as const);
  // Which form of thinking a package makes of an effort depends on the model; options of its own take precedence.
  const isUnclear =
    knowsEffort &&
    reasoning !== undefined &&
    reasoning !== 'none' &&
    !entries.some(([, options]) => options['effort'] !== undefined || thinkingIn(options).length > 0);
  if (!isUnclear && plain.every(([, options], index) => options === entries[index]?.[1])) return settings;
  return {
    ...present({ reasoning: isUnclear ? 'none' : reasoning }),
    providerOptions: Object.fromEntries(plain),
  };
}

/** The options of one provider: those of Anthropic, or those of Bedrock, which has its own name for thinking. */
function withoutBudgetIn(options: WireObject): WireObject {
  const plain = writable(withoutBudgetThinking(options));
  const { additionalModelRequestFields: fields, reasoningConfig: config } = plain;
  const added = isSchemaObject(fields) ? writable(withoutBudgetThinking(fields)) : fields;
  if (isSchemaObject(config) && hasBudget(config)) {
    const { budgetTokens: _budget, maxReasoningEffort, ...rest } = config;
    const effort = effortWithoutThinking(maxReasoningEffort);
    const off = { ...rest, type: 'disabled', ...present({ maxReasoningEffort: effort }) };
    return { ...plain, reasoningConfig: writable(off), ...present({ additionalModelRequestFields: added }) };
  }
  return added === fields ? plain : { ...plain, ...present({ additionalModelRequestFields: added }) };
}

/** Models take writable JSON, and write into none. */
function writable(fields: object): WireObject {
  return fields as WireObject;
}

/** Whether options of a provider turn off thinking. An effort of `none` does not on every model. */
function isThinkingOff({ providerOptions }: ThinkingSettings): boolean {
  const asked = Object.values(providerOptions).flatMap(thinkingIn);
  return asked.length > 0 && asked.every(isOff);
}

/** What the options of one provider say about thinking. */
function thinkingIn(options: ProviderOptions[string]): readonly WireObject[] {
  const { additionalModelRequestFields: fields, reasoningConfig, thinking } = options;
  return [thinking, reasoningConfig, isSchemaObject(fields) ? fields['thinking'] : undefined].flatMap((it) =>
    isSchemaObject(it) && it['type'] !== undefined ? [writable(it)] : [],
  );
}
