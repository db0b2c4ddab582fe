import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { describeError } from '../../../core/error/index.ts';
import { isRecord, present, quotedList } from '../../../core/internal/index.ts';
import type { TraceContext } from '../../../core/runtime/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import { toCallToolResult } from '../wire/call-result.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import { progressNotifier } from './call-events.ts';
import { clientMessageOf } from './client-error.ts';
import { signalOf } from './client-signal.ts';
import { answerIn, canAsk, elicit, inputRequests, isModern } from './elicitation.ts';
import type { CallQuestion, ClientAnswer, OpenCall } from './open-call.ts';
import type { OpenCalls } from './open-calls.ts';
import type { ServedPrompts } from './served-prompts.ts';
import type { ServedResources } from './served-resources.ts';
import type { ServedTools } from './served-tools.ts';

/** What the server of one connection is made of. */
export interface ProtocolServerOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: ServedTools;
  /** Undefined: files are not offered. */
  readonly resources: ServedResources | undefined;
  /** Undefined: sections are not offered. */
  readonly prompts: ServedPrompts | undefined;
  /** The calls of the session, where questions go to the client. */
  readonly calls: OpenCalls;
  readonly clock: Clock;
  readonly logger: Logger;
}

const cannotAsk: ClientAnswer = {
  kind: 'none',
  reason: 'The client does not support elicitation, so no person can be asked.',
};

/** One request `tools/call`. */
export class ServedRequest {
  readonly #sdk: McpServerSdk;
  readonly #mcp: McpServer;
  readonly #options: ProtocolServerOptions;
  readonly #params: CallToolRequest['params'];
  readonly #context: ServerContext;
  readonly #isModern: boolean;

  constructor(
    sdk: McpServerSdk,
    mcp: McpServer,
    options: ProtocolServerOptions,
    { params }: CallToolRequest,
    context: ServerContext,
  ) {
    this.#sdk = sdk;
    this.#mcp = mcp;
    this.#options = options;
    this.#params = params;
    this.#context = context;
    this.#isModern = isModern(mcp);
  }

  /** Runs the call, or continues the one that waits for an answer in this request. */
  async answer(): Promise<CallToolResult | InputRequiredResult> {
    const { tools } = this.#options;
    const { name } = this.#params;
    if (!tools.has(name)) {
      throw this.#invalid(`There is no tool "${name}". The tools are: ${quotedList(tools.names)}.`);
    }
    const state = this.#isModern ? this.#context.mcpReq.requestState() : undefined;
    const call = state === undefined ? this.#begin() : this.#goOn(state);
    try {
      return await this.#next(call);
    } catch (error) {
      throw this.#toProtocolError(error);
    } finally {
      call.release();
    }
  }

  /** The result of the call or, since 2026-07-28, the next question in it. */
  async #next(call: OpenCall): Promise<CallToolResult | InputRequiredResult> {
    const { calls, tools } = this.#options;
    for (;;) {
      const step = await call.next();
      if (step.kind === 'output') return toCallToolResult(step.output, tools.isStructured(this.#params.name));
      const { question } = step;
      if (!canAsk(this.#mcp, this.#context)) question.answer(cannotAsk);
      else if (this.#isModern) {
        const requestState = calls.keep(call, question);
        return this.#sdk.inputRequired({
          inputRequests: inputRequests(this.#sdk, question.asked),
          requestState,
        });
      } else await this.#elicit(question);
    }
  }

  /** Asks while this request waits. What the client says later than in time is not read. */
  async #elicit(question: CallQuestion): Promise<void> {
    const late = new AbortController();
    const endLimit = this.#options.calls.limit(question, () =>
      late.abort('The question was not answered in time.'),
    );
    try {
      const signal = AbortSignal.any([late.signal, question.signal]);
      question.answer(await elicit(question.asked, this.#context, signal));
    } finally {
      endLimit();
    }
  }

  #begin(): OpenCall {
    const { calls, tools } = this.#options;
    const { arguments: given = {}, name } = this.#params;
    const { mcpReq } = this.#context;
    const callId = tools.nextCallId();
    const trace = traceContextOf(mcpReq._meta);
    const call = calls.begin({ callId, key: this.#key() }, (signal, onProgress) =>
      // The protocol layer has checked that the arguments are an object of JSON.
      tools.call({ callId, name, arguments: given as JsonObject, signal, onProgress, trace }),
    );
    this.#follow(call);
    return call;
  }

  /** The call that waits for the answer in this request. */
  #goOn(state: unknown): OpenCall {
    const kept = typeof state === 'string' ? this.#options.calls.take(state, this.#key()) : undefined;
    if (kept === undefined) {
      throw this.#invalid(
        'The state of the request is unknown: it was used, it has expired, or the request is another one.',
      );
    }
    this.#follow(kept.call);
    kept.question.answer(answerIn(this.#context, kept.question.asked));
    return kept.call;
  }

  /** The end of this request, before it is answered, ends the call. */
  #follow(call: OpenCall): void {
    call.follow({
      signal: signalOf(this.#context),
      onProgress: progressNotifier(this.#context, this.#options.clock),
    });
  }

  #key(): string {
    const { arguments: given = {}, name } = this.#params;
    return JSON.stringify([name, given]);
  }

  #invalid(message: string): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#sdk;
    return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }

  /** What ended the session, or the call, as an error of the protocol. */
  #toProtocolError(error: unknown): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#sdk;
    this.#options.logger.warn('A call of a client has no result.', { error: describeError(error) });
    return new ProtocolError(ProtocolErrorCode.InternalError, clientMessageOf(error));
  }
}

/**
 * The span of the client that made a request, from its `_meta`; undefined when it names none. Whether it is written as the W3C defines it is checked where it is used.
 *
 * @see docs/spec/mcp.md §3
 */
function traceContextOf(meta: unknown): TraceContext | undefined {
  if (!isRecord(meta)) return undefined;
  const { traceparent, tracestate } = meta;
  if (typeof traceparent !== 'string') return undefined;
  return { traceparent, ...present({ tracestate: typeof tracestate === 'string' ? tracestate : undefined }) };
}
