import { present } from '../../../core/internal/index.ts';
import { isSchemaObject, type JsonObject, type JsonValue } from '../../../core/schema/index.ts';
import type { Logger } from '../../../core/tool/index.ts';

/** Whether a setting turns on thinking with a budget of tokens. */
export function hasBudget(thinking: JsonValue | undefined): boolean {
  return isSchemaObject(thinking) && thinking['type'] === 'enabled';
}

/** Whether a setting turns off thinking. */
export function isOff(thinking: JsonValue | undefined): boolean {
  return isSchemaObject(thinking) && thinking['type'] === 'disabled';
}

/**
 * Settings for Claude without thinking that has a budget of tokens, and without what is accepted only beside thinking; settings without such thinking are
 * unchanged. In the format of the Messages interface or of the AI SDK.
 */
export function withoutBudgetThinking(settings: JsonObject): JsonObject {
  const { fallbacks } = settings;
  const others = listOf(fallbacks)?.map((other) =>
    isSchemaObject(other) ? withoutBudgetThinking(other) : other,
  );
  const areSame = others?.every((other, index) => other === listOf(fallbacks)?.[index]) ?? true;
  const kept = areSame ? settings : { ...settings, ...present({ fallbacks: others }) };
  if (!hasBudget(settings['thinking'])) return kept;
  const { effort, output_config: config, context_management, contextManagement, ...rest } = kept;
  return {
    ...rest,
    thinking: { type: 'disabled' },
    ...present({
      effort: effortWithoutThinking(effort),
      output_config: isSchemaObject(config)
        ? { ...config, ...present({ effort: effortWithoutThinking(config['effort']) }) }
        : config,
      context_management: editsWithoutThinking(context_management),
      contextManagement: editsWithoutThinking(contextManagement),
    }),
  };
}

/** The nearest effort that every model takes without thinking. */
export function effortWithoutThinking(effort: JsonValue | undefined): JsonValue | undefined {
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}

/** Edits of the context that the provider takes without thinking. */
function editsWithoutThinking(management: JsonValue | undefined): JsonValue | undefined {
  const edits = isSchemaObject(management) ? listOf(management['edits']) : undefined;
  if (!isSchemaObject(management) || edits === undefined) return management;
  const kept = edits.filter((edit) => !clearsThinking(edit));
  return kept.length === 0 ? undefined : { ...management, edits: kept };
}

function clearsThinking(edit: JsonValue): boolean {
  const type = isSchemaObject(edit) ? edit['type'] : undefined;
  return typeof type === 'string' && type.startsWith('clear_thinking');
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  // The type of `Array.isArray` does not know read-only lists.
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

/** Says once in an evaluation that the model is asked without thinking. An evaluation is recognized by its signal. */
export class ThinkingNotice {
  readonly #model: string;
  readonly #said = new WeakSet<AbortSignal>();

  /** @param model for the message. */
  constructor(model: string) {
    this.#model = model;
  }

  say({ logger, signal }: { readonly logger: Logger; readonly signal: AbortSignal }): void {
    if (this.#said.has(signal)) return;
    this.#said.add(signal);
    logger.warn(
      `${this.#model} is asked without thinking while it continues calls that were made without its thinking, such as those of another model: the provider refuses thinking with a budget there.`,
      { model: this.#model },
    );
  }
}
