import type {
  ElicitRequestFormParams,
  InputRequiredSpec,
  McpServer,
  ServerContext,
} from '@modelcontextprotocol/server';
import { maxTimerMs } from '../../../core/error/index.ts';
import {
  allValues,
  briefValues,
  isRecord,
  present,
  quoteText,
  showName,
  spellInvisible,
} from '../../../core/internal/index.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/runtime/index.ts';
import { maxAnswerCharacters, type UserAnswer, type UserQuestion } from '../../../core/tool/index.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import type { AskedOfClient, ClientAnswer } from './open-call.ts';

/** The name of the one question of a request: of one for approval, and of the one field of its answer; of one of a handler. */
const approvalName = 'approve';
const userQuestionName = 'answer';

/** The key of a request's envelope that has the capabilities of the client, since 2026-07-28. */
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

const firstModernRevision = '2026-07-28';

/** A field of a form. */
type Property = ElicitRequestFormParams['requestedSchema']['properties'][string];

/** Whether requests of this connection are of a revision in which a question ends a request. Revisions are dates. */
export function isModern(mcp: McpServer): boolean {
  return (mcp.server.getNegotiatedProtocolVersion() ?? '') >= firstModernRevision;
}

/** Whether the client has said that it shows forms to people. */
export function canAsk(mcp: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope: unknown = mcpReq.envelope;
  const ofRequest = isRecord(envelope) ? envelope[capabilitiesKey] : undefined;
  const declared: unknown = isModern(mcp) ? ofRequest : mcp.server.getClientCapabilities();
  const elicitation = isRecord(declared) ? declared['elicitation'] : undefined;
  // Before there were kinds of it, an empty object meant forms.
  return isRecord(elicitation) && ('form' in elicitation || Object.keys(elicitation).length === 0);
}

/** Until 2025-11-25: asks the client while its request waits. There is no answer when the client fails. Never rejects. */
export async function elicit(
  asked: AskedOfClient,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
): Promise<ClientAnswer> {
  try {
    const request = { method: 'elicitation/create', params: formOf(asked) } as const;
    return { kind: 'response', response: await mcpReq.send(request, { signal, timeout: maxTimerMs }) };
  } catch {
    return { kind: 'none', reason: 'The client could not be asked, or did not answer.' };
  }
}

/** Since 2026-07-28: the question, as what the client has to send with its request. */
export function inputRequests(
  sdk: McpServerSdk,
  asked: AskedOfClient,
): NonNullable<InputRequiredSpec['inputRequests']> {
  return { [nameOf(asked)]: sdk.inputRequired.elicit(formOf(asked)) };
}

/** Since 2026-07-28: the answer in a request. */
export function answerIn({ mcpReq }: ServerContext, asked: AskedOfClient): ClientAnswer {
  return { kind: 'response', response: mcpReq.inputResponses?.[nameOf(asked)] };
}

/** What a client answered to a question for approval; anything but a clear yes is a no. */
export function toApproval(answer: ClientAnswer): ApprovalAnswer {
  if (answer.kind === 'none') return { approved: false, reason: answer.reason };
  const { action, content } = partsOf(answer.response);
  if (action === 'accept' && isRecord(content) && content[approvalName] === true) return true;
  return {
    approved: false,
    reason: action === 'cancel' ? 'The question was dismissed.' : 'The user declined.',
  };
}

/** What a client answered to a question of a handler. The values are as the client sent them: who asks checks them. */
export function toUserAnswer(answer: ClientAnswer): UserAnswer {
  if (answer.kind === 'none') return { kind: 'unavailable', reason: answer.reason };
  const { action, content } = partsOf(answer.response);
  switch (action) {
    case 'accept':
      // A form without fields may come back without content.
      return { kind: 'answered', values: (content ?? {}) as Readonly<Record<string, string>> };
    case 'decline':
      return { kind: 'declined' };
    case 'cancel':
      return { kind: 'dismissed' };
    default:
      return { kind: 'unavailable', reason: 'The client sent no answer to the question.' };
  }
}

function partsOf(response: unknown): { readonly action?: unknown; readonly content?: unknown } {
  return isRecord(response) ? { action: response['action'], content: response['content'] } : {};
}

function nameOf({ kind }: AskedOfClient): string {
  return kind === 'approval' ? approvalName : userQuestionName;
}

/** What the client shows: for a question for approval a form with one box to tick. */
function formOf(asked: AskedOfClient): ElicitRequestFormParams {
  switch (asked.kind) {
    case 'approval':
      return {
        message: questionText(asked.request),
        requestedSchema: {
          type: 'object',
          properties: { [approvalName]: { type: 'boolean', title: 'Approve the call' } },
          required: [approvalName],
        },
      };
    case 'user': {
      const { message, fields } = asked.question;
      const entries = Object.entries(fields);
      return {
        // Names the tool, so that it cannot pass for a question of a policy.
        message: `The tool "${asked.toolName}" asks: ${spellInvisible(message, 'prose')}`,
        requestedSchema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([name, field]) => [name, toProperty(field)])),
          required: entries.flatMap(([name, { isOptional }]) => (isOptional === true ? [] : [name])),
        },
      };
    }
  }
}

function toProperty({ description, enum: choices, title, type }: UserQuestion['fields'][string]): Property {
  const labels = present({
    title: title === undefined ? undefined : spellInvisible(title),
    description: description === undefined ? undefined : spellInvisible(description, 'prose'),
  });
  if (type !== 'string') return { type, ...labels };
  return choices === undefined
    ? { type, ...labels, maxLength: maxAnswerCharacters }
    : { type, ...labels, enum: [...choices] };
}

/** How many characters of the arguments a question has; of longer ones it has the beginning and the end of each value. */
const maxParamsCharacters = 4_000;
const maxNamedPaths = 20;

/** A question of a policy for a person who reads it in the client. What he would not see is spelled out, and what is left out is counted. */
function questionText({ changes, params, policy, reason, toolName }: ApprovalRequest): string {
  const paths = changes?.map(({ kind, path }) => `${kind}: ${showName(path)}`) ?? [];
  const rest = paths.length - maxNamedPaths;
  return [
    `The policy ${quoteText(policy)} asks about a call of "${toolName}": ${spellInvisible(reason, 'lines')}`,
    ...paramsText(params),
    ...(paths.length === 0 ? [] : ['Changes that wait:', ...paths.slice(0, maxNamedPaths)]),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('\n');
}

function paramsText(params: unknown): readonly string[] {
  const all = allValues(params);
  if (all.length === 0) return ['Arguments: none'];
  const fits = all.join('\n').length <= maxParamsCharacters;
  return ['Arguments:', ...(fits ? all : briefValues(params).lines)];
}
