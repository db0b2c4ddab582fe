import { assertOptions } from '../../core/error/index.ts';
import type { ProviderAdapter } from '../../core/evaluation/index.ts';
import { present } from '../../core/internal/index.ts';
import type {
  AssistantPart,
  ConversationItem,
  FinishReason,
  HostedApprovalRequestPart,
  ModelCallOptions,
  ModelCheck,
  ModelRequest,
  ModelTurn,
  TokenUsage,
} from '../../core/runtime/index.ts';
import { isSchemaObject } from '../../core/schema/index.ts';
import {
  type HostedToolOutput,
  type HostedToolReading,
  parsedArguments,
  type TokenPrices,
  type ToolCallPart,
} from '../../core/tool/index.ts';
import {
  type HostedToolCodecTable,
  HostedToolRegistry,
  type HostedTurn,
  providerAdapter,
  type UnsupportedConfig,
} from '../../providers/kit/index.ts';

/** A tool call of a scripted turn. */
export interface ScriptedToolCall {
  readonly name: string;
  /** The arguments as a value, or as the JSON text a model would write, which may be malformed. Default: none. */
  readonly arguments?: unknown;
  /** Default: `call-TURN-NUMBER`, both from 1. */
  readonly callId?: string;
}

/** An output with any members that the kind of its tool adds. */
type AnyOutput = HostedToolOutput | (HostedToolOutput & { readonly [key: string]: unknown });

/** One turn of a scripted model. Without calls the run ends with the text. */
export interface ScriptedTurn {
  /** A streamed run emits it word by word. */
  readonly text?: string;
  /** Reasoning before the text. Default: none. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Findings of hosted tools of the prompt in this turn; the outputs may be of any kind. Default: none. */
  readonly hosted?: readonly HostedToolReading<AnyOutput>[];
  /** Output items of a provider, which the codecs in `hostedToolCodecs` read. Default: none. */
  readonly items?: readonly unknown[];
  /** Approval requests of the provider. Default: none. */
  readonly approvalRequests?: readonly Omit<HostedApprovalRequestPart, 'type'>[];
  /** Default: `tool-calls` with calls, else `stop`. */
  readonly finishReason?: FinishReason;
  readonly usage?: TokenUsage;
}

/**
 * Decides one turn from the conversation so far. May be async. An error it throws ends the run, as an error of a provider does.
 *
 * @param options the options of a model call: the signal that aborts it and, in a streamed run, `onDelta`, which emits deltas
 *   before the script returns a turn or throws. The text of the turn follows them.
 */
export type Script = (
  conversation: readonly ConversationItem[],
  request: ModelRequest,
  options: ModelCallOptions,
) => ScriptedTurn | Promise<ScriptedTurn>;

/** Options of {@link scriptedAdapter}. */
export interface ScriptedAdapterOptions {
  /** Shown in events. Default: `scripted model`. */
  readonly name?: string;
  /** For budgets that limit the cost. Default: unknown. */
  readonly prices?: TokenPrices;
  /**
   * How hosted tools are serialized and parsed, by kind; a kind without a codec is then an error. Default: they are not
   * serialized.
   */
  readonly hostedToolCodecs?: HostedToolCodecTable;
  /** What to do with a config that a codec does not fully support. Default: `'error'`. */
  readonly unsupportedConfig?: UnsupportedConfig;
}

/**
 * An adapter whose model follows a script: a list of turns, or a function of the conversation. It runs offline, through the
 * same loop, transactions and policies as any other model.
 *
 * With a list, the run fails in phase `request` when there are more requests than turns; each evaluation starts at the
 * first turn.
 *
 * Hosted tools may be of any kind: their outputs are in `hosted` of a turn. With `hostedToolCodecs` they are serialized and
 * parsed as by a vendor's adapter.
 *
 * ```ts
 * import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 *
 * const time = tool({ name: 'read_time', description: 'Reads the time.', effects: 'read', execute: () => ToolResult.ok('9:00') });
 * const task = section({ title: 'Task', key: 'task', template: 'Say what time it is.', tools: [time] });
 * const prompt = promptTemplate({ ns: 'docs', key: 'clock', sections: [task] }).bind();
 * const adapter = scriptedAdapter([{ toolCalls: [{ name: 'read_time' }] }, { text: 'It is nine.' }]);
 * console.log((await adapter.evaluate(prompt)).text); // It is nine.
 * ```
 */
export function scriptedAdapter(
  script: readonly ScriptedTurn[] | Script,
  options: ScriptedAdapterOptions = {},
): ProviderAdapter {
  assertOptions('scriptedAdapter()', options, {
    hostedToolCodecs: 'object',
    prices: 'object',
    unsupportedConfig: 'any',
    name: 'string',
  });
  const { name = 'scripted model', prices, hostedToolCodecs: codecs, unsupportedConfig } = options;
  const registry =
    codecs && new HostedToolRegistry({ adapter: name, model: name, codecs, unsupportedConfig });
  return providerAdapter({
    model: {
      name,
      ...present({
        prices,
        check: registry && (({ hostedTools }: ModelCheck) => void registry.check(hostedTools)),
      }),
      generate: async (request, generateOptions) => {
        const { onDelta, logger } = generateOptions;
        registry?.serialize(request.hostedTools, logger);
        const turn =
          typeof script === 'function'
            ? await script(request.conversation, request, generateOptions)
            : turnAt(script, request.turn);
        if (onDelta !== undefined) await streamTurn(turn, onDelta);
        return toModelTurn(turn, request.turn, hostedOf(turn, request, registry));
      },
    },
  });
}

function hostedOf(
  { hosted = [], items = [], text = '' }: ScriptedTurn,
  { hostedTools }: ModelRequest,
  registry: HostedToolRegistry | undefined,
): readonly HostedToolReading[] {
  if (registry !== undefined)
    return [...hosted, ...registry.read(hostedTools, { items, text, startOf: startIn(text) })];
  if (items.length === 0) return hosted;
  throw new TypeError(
    'The script has a turn with items, but no codecs that read them: pass hostedToolCodecs.',
  );
}

/** Finds the text of a part in the text of the turn, because a script has no other link between them. */
function startIn(text: string): HostedTurn['startOf'] {
  return (part) => {
    const passage = isSchemaObject(part) ? part['text'] : undefined;
    const start = typeof passage === 'string' ? text.indexOf(passage) : -1;
    return start < 0 ? undefined : start;
  };
}

function turnAt(turns: readonly ScriptedTurn[], number: number): ScriptedTurn {
  const turn = turns[number - 1];
  if (turn === undefined) {
    throw new RangeError(`The script has ${turns.length} turns, but turn ${number} was requested.`);
  }
  return turn;
}

async function streamTurn(
  { reasoning = '', text = '' }: ScriptedTurn,
  onDelta: NonNullable<ModelCallOptions['onDelta']>,
): Promise<void> {
  for (const piece of inWords(reasoning)) await onDelta({ type: 'reasoning-delta', text: piece });
  for (const piece of inWords(text)) await onDelta({ type: 'text-delta', text: piece });
}

function inWords(text: string): readonly string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

function toModelTurn(turn: ScriptedTurn, number: number, hosted: readonly HostedToolReading[]): ModelTurn {
  const { reasoning = '', text = '', toolCalls = [], approvalRequests = [], usage } = turn;
  const content: AssistantPart[] = [];
  if (reasoning !== '') content.push({ type: 'reasoning', text: reasoning });
  if (text !== '') content.push({ type: 'text', text });
  for (const [
    index,
    { callId = `call-${number}-${index + 1}`, name, arguments: given },
  ] of toolCalls.entries())
    content.push({ type: 'tool-call', callId, name, ...toArguments(given) });
  for (const request of approvalRequests) content.push({ type: 'approval-request', ...request });
  const finishReason = turn.finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop');
  return { content, finishReason, hosted, ...present({ usage }) };
}

function toArguments(value: unknown): Pick<ToolCallPart, 'arguments' | 'wasParsed'> {
  if (value === undefined || typeof value === 'string') return { arguments: value ?? '' };
  return parsedArguments(JSON.stringify(value));
}
