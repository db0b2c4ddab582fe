import type {
  CallToolRequest,
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { describeError, WinkError } from '../../error/index.ts';
import { isRecord, quotedList } from '../../internal/index.ts';
import type { ApprovalAnswer } from '../../runtime/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { Logger } from '../../tool/index.ts';
import { toCallToolResult } from '../wire/call-result.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import type { OpenCall } from './open-call.ts';
import type { OpenCalls } from './open-calls.ts';
import { progressNotifier } from './progress.ts';
import { questionText } from './question-text.ts';
import type { ServedTools } from './served-tools.ts';

/** What the server of one connection is made of. */
export interface ProtocolServerOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: ServedTools;
  /** The calls of the session, where questions go to the client. */
  readonly calls: OpenCalls;
  readonly logger: Logger;
}

/** The name of the one question of a request, and of the one field of its answer. */
const questionName = 'approve';

/** The key of a request's envelope that has the capabilities of the client, since 2026-07-28. */
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

/**
 * A server of the SDK for one connection. It is cheap and has no state of its own: tools, calls and state belong to the session.
 *
 * @see docs/spec/mcp.md §2
 */
export function createProtocolServer(sdk: McpServerSdk, options: ProtocolServerOptions): McpServer {
  const { name, tools, version } = options;
  const { instructions } = tools;
  const mcp = new sdk.McpServer({ name, version }, instructions === '' ? {} : { instructions });
  mcp.server.registerCapabilities({ tools: { listChanged: true } });
  mcp.server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
  mcp.server.setRequestHandler('tools/call', (request, context) =>
    new ServedRequest(sdk, mcp, options, request, context).answer(),
  );
  return mcp;
}

/** One request `tools/call`. */
class ServedRequest {
  readonly #sdk: McpServerSdk;
  readonly #mcp: McpServer;
  readonly #options: ProtocolServerOptions;
  readonly #params: CallToolRequest['params'];
  readonly #context: ServerContext;

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
  }

  async answer(): Promise<CallToolResult | InputRequiredResult> {
    const { tools } = this.#options;
    const { name } = this.#params;
    if (!tools.has(name)) {
      throw this.#invalid(`There is no tool "${name}". The tools are: ${quotedList(tools.names)}.`);
    }
    const state = this.#context.mcpReq.requestState();
    const call = state === undefined ? this.#begin() : this.#goOn(state);
    call.follow(this.#signal());
    try {
      return await this.#next(call);
    } catch (error) {
      throw this.#toProtocolError(error);
    } finally {
      call.release();
    }
  }

  /** The next question of the call, or its result. */
  async #next(call: OpenCall): Promise<CallToolResult | InputRequiredResult> {
    const { calls, tools } = this.#options;
    for (;;) {
      const step = await call.next();
      if (step.kind === 'output') return toCallToolResult(step.output, tools.isStructured(this.#params.name));
      const { question } = step;
      if (!this.#canAsk()) {
        question.answer({
          approved: false,
          reason: 'The client does not support elicitation, so nobody can be asked.',
        });
        continue;
      }
      const { inputRequired } = this.#sdk;
      return inputRequired({
        inputRequests: {
          [questionName]: inputRequired.elicit({
            message: questionText(question.request),
            requestedSchema: {
              type: 'object',
              properties: { [questionName]: { type: 'boolean', title: 'Approve the call' } },
              required: [questionName],
            },
          }),
        },
        requestState: calls.keep(call),
      });
    }
  }

  #begin(): OpenCall {
    const { calls, tools } = this.#options;
    const { arguments: given = {}, name } = this.#params;
    const callId = tools.nextCallId();
    const onProgress = progressNotifier(this.#context);
    return calls.begin({ callId, key: this.#key() }, (signal) =>
      // The protocol layer has checked that the arguments are an object of JSON.
      tools.call({ callId, name, arguments: given as JsonObject, signal, onProgress }),
    );
  }

  /** The call that waits for the answer in this request. */
  #goOn(state: unknown): OpenCall {
    const call = typeof state === 'string' ? this.#options.calls.take(state, this.#key()) : undefined;
    if (call === undefined) {
      throw this.#invalid(
        'The state of the request is unknown: it was used, it has expired, or the request is another one.',
      );
    }
    call.question?.answer(answerOf(this.#context.mcpReq.inputResponses?.[questionName]));
    return call;
  }

  #key(): string {
    const { arguments: given = {}, name } = this.#params;
    return JSON.stringify([name, given]);
  }

  /** Ends the call when the request is cancelled or its connection is closed. */
  #signal(): AbortSignal {
    const { http, mcpReq } = this.#context;
    const connection = http?.req?.signal;
    return connection === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, connection]);
  }

  /** Whether the client has said that it asks people. */
  #canAsk(): boolean {
    const envelope: unknown = this.#context.mcpReq.envelope;
    const ofRequest = isRecord(envelope) ? envelope[capabilitiesKey] : undefined;
    const declared: unknown = ofRequest ?? this.#mcp.server.getClientCapabilities();
    return isRecord(declared) && isRecord(declared['elicitation']);
  }

  #invalid(message: string): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#sdk;
    return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
  }

  /** What ended the session, or the call, as an error of the protocol. An error that is not the library's may hold anything, so it is logged alone. */
  #toProtocolError(error: unknown): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#sdk;
    this.#options.logger.warn('A request of a client failed.', { error: describeError(error) });
    const message = WinkError.isInstance(error) ? error.message : 'The call failed inside of the server.';
    return new ProtocolError(ProtocolErrorCode.InternalError, message);
  }
}

/** What a client answered; anything but a clear yes is a no. */
function answerOf(response: unknown): ApprovalAnswer {
  const action = isRecord(response) ? response['action'] : undefined;
  const content = isRecord(response) ? response['content'] : undefined;
  if (action === 'accept' && isRecord(content) && content[questionName] === true) return true;
  return {
    approved: false,
    reason: action === 'cancel' ? 'The question was dismissed.' : 'The user declined.',
  };
}
