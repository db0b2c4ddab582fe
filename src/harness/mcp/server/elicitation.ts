import type { InputRequiredSpec, McpServer, ServerContext } from '@modelcontextprotocol/server';
import {
  allValues,
  briefValues,
  isRecord,
  quoteText,
  showName,
  spellInvisible,
} from '../../../core/internal/index.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../../core/runtime/index.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import type { CallQuestion } from './open-call.ts';

/** The name of the one question of a request, and of the one field of its answer. */
const questionName = 'approve';

/** The key of a request's envelope that has the capabilities of the client, since 2026-07-28. */
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';

const firstModernRevision = '2026-07-28';

/** The longest that a timer of the SDK takes; the server has a limit of its own. */
const maxTimerMs = 2_147_483_647;

/** A form with one box to tick. */
const requestedSchema = {
  type: 'object',
  properties: { [questionName]: { type: 'boolean', title: 'Approve the call' } },
  required: [questionName],
} as const;

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

/** Until 2025-11-25: asks the client while its request waits. Resolves with a no when the client fails to answer. Never rejects. */
export async function elicit(
  { request }: CallQuestion,
  { mcpReq }: ServerContext,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const params = { message: questionText(request), requestedSchema: mutable() };
  try {
    return answerOf(
      await mcpReq.send({ method: 'elicitation/create', params }, { signal, timeout: maxTimerMs }),
    );
  } catch {
    return { approved: false, reason: 'The client could not be asked, or did not answer.' };
  }
}

/** Since 2026-07-28: the question, as what the client has to send with its request. */
export function inputRequests(
  sdk: McpServerSdk,
  { request }: CallQuestion,
): NonNullable<InputRequiredSpec['inputRequests']> {
  const form = { message: questionText(request), requestedSchema: mutable() };
  return { [questionName]: sdk.inputRequired.elicit(form) };
}

/** Since 2026-07-28: the answer in a request. */
export function answerIn({ mcpReq }: ServerContext): ApprovalAnswer {
  return answerOf(mcpReq.inputResponses?.[questionName]);
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

/** The schema as the types of the SDK want it. */
function mutable() {
  return { ...requestedSchema, required: [...requestedSchema.required] };
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
