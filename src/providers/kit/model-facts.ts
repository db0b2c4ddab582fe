import { PromptValidationError } from '../../core/error/index.ts';
import type { JsonObject, JsonValue } from '../../core/schema/index.ts';
import type { ToolChoice } from '../../core/tool/index.ts';

/**
 * What a model answers with an error: a call that is forced, thinking that is turned off, thinking that is turned off beside an effort above `high`, or the sampling settings
 * `temperature` and `topP`.
 */
export type ModelRefusal = 'forced-call' | 'thinking-off' | 'thinking-off-above-high' | 'sampling';

/** What is known of some models. */
interface ModelFacts {
  /** Tested on the name of the model, which may have the prefix of a service and a date. */
  readonly pattern: RegExp;
  readonly refuses: readonly ModelRefusal[];
  /** The day on which it was looked up. */
  readonly checkedOn: string;
}

const newest: readonly ModelRefusal[] = [
  'forced-call',
  'thinking-off',
  'thinking-off-above-high',
  'sampling',
];

/** From the catalog of `@ai-sdk/anthropic` 4.0.105. A model without an entry is taken to accept everything. The first entry that fits holds. */
const facts: readonly ModelFacts[] = [
  { pattern: /claude-(?:sonnet|opus)-5-5(?!\d)/, refuses: newest, checkedOn: '2026-12-01' },
  { pattern: /claude-fable-5-[12](?!\d)/, refuses: newest, checkedOn: '2026-12-01' },
  {
    pattern: /claude-fable-5(?!\d|-\d(?!\d))/,
    refuses: ['thinking-off', 'thinking-off-above-high', 'sampling'],
    checkedOn: '2026-12-01',
  },
  {
    pattern: /claude-(?:haiku-5-5(?!\d)|opus-5(?!\d|-\d(?!\d)))/,
    refuses: ['thinking-off-above-high', 'sampling'],
    checkedOn: '2026-12-01',
  },
  {
    pattern: /claude-(?:opus-4-[78](?!\d)|sonnet-5(?!\d|-\d(?!\d)))/,
    refuses: ['sampling'],
    checkedOn: '2026-12-01',
  },
];

/** Whether a model is known to refuse something. */
export function refuses(model: string, what: ModelRefusal): boolean {
  return facts.find(({ pattern }) => pattern.test(model))?.refuses.includes(what) === true;
}

/** Models for which packages of the AI SDK turn an effort into thinking with a budget. Looked up on 2026-12-01. */
const budgetByEffort = /claude-(?:opus|sonnet|haiku)-4(?:-[0-5](?!\d)|(?!-\d(?!\d)))/;

/** Whether packages turn an effort of this model into thinking with a budget. */
export function thinksByBudget(model: string): boolean {
  return budgetByEffort.test(model);
}

/** What a request asks of a model, as far as there are models that refuse it. */
export interface AskedOfModel {
  readonly model: string;
  readonly toolChoice: ToolChoice;
  /** Whether thinking has a budget of tokens. */
  readonly hasBudget: boolean;
  /** The option that turns thinking off; undefined: it is not turned off. */
  readonly thinkingOff: string | undefined;
  readonly effort: JsonValue | undefined;
}

/** Whether the model must call a tool in its first turn. */
export function isForced(choice: ToolChoice): boolean {
  if (typeof choice === 'string') return choice === 'required';
  return 'tool' in choice || choice.required === true;
}

/**
 * What a model is known to refuse, before any request.
 *
 * @throws {PromptValidationError} which names the option.
 */
export function refuseForModel({ model, toolChoice, hasBudget, thinkingOff, effort }: AskedOfModel): void {
  if (isForced(toolChoice) && hasBudget) {
    throw refused(
      'Anthropic accepts no toolChoice that forces a call beside thinking with a budget. Use toolChoice "auto", thinking of the type "adaptive", or reasoningEffort "none".',
      { option: 'toolChoice', toolChoice: given(toolChoice) },
    );
  }
  if (isForced(toolChoice) && refuses(model, 'forced-call')) {
    throw refused(
      `The model "${model}" accepts no toolChoice that forces a call. Use toolChoice "auto", or { allowed } without required, and ask for the call in the instructions.`,
      { option: 'toolChoice', model, toolChoice: given(toolChoice) },
    );
  }
  if (thinkingOff === undefined) return;
  if (refuses(model, 'thinking-off')) {
    throw refused(
      `The thinking of the model "${model}" cannot be turned off, as ${thinkingOff} does. Leave it out, or use reasoningEffort "low".`,
      { option: thinkingOff, model },
    );
  }
  if ((effort === 'xhigh' || effort === 'max') && refuses(model, 'thinking-off-above-high')) {
    throw refused(
      `The model "${model}" does not take the effort "${effort}" with thinking turned off, as ${thinkingOff} does. Use an effort of at most "high", or leave thinking on.`,
      { option: thinkingOff, model, effort },
    );
  }
}

function given(choice: ToolChoice): JsonValue {
  return typeof choice === 'string' ? choice : { ...choice };
}

function refused(message: string, details: JsonObject): PromptValidationError {
  return new PromptValidationError(message, { details });
}
