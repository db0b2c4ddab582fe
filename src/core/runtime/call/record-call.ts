import { none, type Writable, wellFormedText } from '../../internal/index.ts';
import { openSections, SectionsOpened, type SectionsOpenedPayload } from '../../prompt/index.ts';
import type { JsonObject, JsonValue } from '../../schema/index.ts';
import type {
  AnyTool,
  MediaPart,
  RecordedApproval,
  RecordedAttachment,
  ShownSection,
  TokenUsage,
  ToolInvokedPayload,
  ToolResult,
} from '../../tool/index.ts';
import { recordError } from '../../tool/index.ts';
import type { CallAttempt } from './attempt/attempt.ts';
import { renderValue, toModelText } from './attempt/handler-result.ts';
import type { EvaluationEnvironment } from './environment/environment.ts';
import type { SectionOpening } from './section-opening.ts';
import type { ToolCall } from './tool-call/tool-call.ts';
import type { FailedVerdict, SucceededVerdict } from './tool-call/verdict.ts';

/** What is known of a call at its end, beside the verdict. */
export interface CallFacts {
  readonly call: ToolCall;
  readonly tool: AnyTool | undefined;
  readonly params: JsonObject | undefined;
  /** The last one; undefined when the call never began. */
  readonly attempt: CallAttempt | undefined;
  /** Present when its handler needed sections to be opened. */
  readonly opening: SectionOpening | undefined;
  /** Present when these were opened. */
  readonly opened: SucceededVerdict | undefined;
  readonly conflicts: readonly string[];
  readonly approvals: readonly RecordedApproval[];
  /** Resources without transactions that earlier attempts asked for. */
  readonly plainResources: readonly string[];
  readonly startedAtMs: number | undefined;
  readonly usage: TokenUsage | undefined;
}

/** A call as it is recorded and as the model reads it. */
export function recordCall(
  environment: EvaluationEnvironment,
  verdict: FailedVerdict | SucceededVerdict,
  facts: CallFacts,
): ToolInvokedPayload {
  const { clock, eventIds, origin } = environment;
  const { call, tool, params, attempt, opened, conflicts, approvals, usage } = facts;
  const { result } = verdict;
  const shown =
    opened === undefined && tool?.succeeded !== SectionsOpened
      ? undefined
      : sectionsShownBy(opened?.result ?? result);
  // The value of a success was rendered when its handler returned.
  const hasRendered = verdict.kind === 'succeeded' || opened !== undefined;
  const rendered =
    (hasRendered ? attempt?.rendered : undefined) ??
    renderValue(opened === undefined ? tool : openSections(), (opened ?? verdict).result, environment);
  const changes = (verdict.kind === 'succeeded' ? attempt?.changes : undefined) ?? none;
  const endedAtMs = clock.now();
  const startedAtMs = facts.startedAtMs ?? endedAtMs;
  const record: Writable<ToolInvokedPayload> = {
    eventId: eventIds(),
    evaluationId: origin.evaluationId,
    promptName: origin.promptName,
    adapter: origin.adapter,
    sessionId: origin.sessionId,
    callId: call.callId,
    toolName: call.toolName,
    turn: call.turn,
    success: verdict.kind === 'succeeded',
    outcome: verdict.kind === 'succeeded' ? 'committed' : verdict.outcome,
    message: wellFormedText(result.message),
    rendered,
    modelText: wellFormedText(toModelText(result, rendered)),
    attempts: attempt?.number ?? 0,
    conflicts,
    startedAtMs,
    durationMs: endedAtMs - startedAtMs,
    changes: changes.length === 0 ? none : changes.map(({ path, kind }) => ({ path, kind })),
  };
  if (call.providerKind !== undefined) record.providerKind = call.providerKind;
  if (origin.parentCallIds !== undefined) record.parentCallIds = origin.parentCallIds;
  if (params !== undefined) record.params = recordable(params, call.arguments);
  // The value was checked to be plain JSON when the attempt ended.
  if (result.value !== undefined) record.value = recordable(result.value as JsonValue);
  if (result.attachments !== undefined) record.attachments = result.attachments.map(recordAttachment);
  if (usage !== undefined) record.usage = usage;
  if (verdict.kind === 'succeeded' && attempt?.wasDone === true) record.once = 'done';
  if (approvals.length > 0) record.approvals = approvals;
  if (shown !== undefined) record.openedSections = shown;
  const unenforced = [...(facts.opening?.thrower.unenforced ?? none), ...(attempt?.unenforced ?? none)];
  if (unenforced.length > 0) record.unenforced = unenforced;
  if (verdict.kind === 'failed') {
    record.reason = verdict.reason;
    if (verdict.policy !== undefined) record.policy = verdict.policy;
    if (verdict.policyPrompt !== undefined) record.policyPrompt = verdict.policyPrompt;
    if (verdict.error !== undefined) record.error = recordError(verdict.error);
    const residualEffects = residualEffectsOf(facts);
    if (residualEffects.length > 0) record.residualEffects = residualEffects;
  }
  return record;
}

/** The sections that a call of `openSections` showed; undefined when it opened none. */
function sectionsShownBy({ success, value }: ToolResult<unknown>): readonly ShownSection[] | undefined {
  // What its handler yields.
  return success ? (value as SectionsOpenedPayload).shown : undefined;
}

/** What a call that was not committed leaves in place. */
function residualEffectsOf({ tool, attempt, opening, plainResources }: CallFacts): readonly string[] {
  const doer = opening?.thrower ?? attempt;
  if (doer === undefined) return [];
  const { committedResources, plainResources: asked, stuckResources } = doer.transaction;
  const plain = tool?.effects === 'read' ? [] : new Set([...plainResources, ...asked]);
  return [
    ...(doer.hasExternalEffects ? ['effects outside session, files and resources'] : []),
    ...committedResources.map((name) => `resource ${name}: committed before the call failed`),
    ...stuckResources.map((name) => `resource ${name}: could not be rolled back`),
    ...[...plain].map((name) => `resource ${name}: takes no part in transactions`),
  ];
}

function recordAttachment({ data, ...part }: MediaPart): RecordedAttachment {
  return { ...part, characters: data.length };
}

/** What is nested deeper could not come back from an export; there are a few levels of the record around it. */
const maxRecordedDepth = 200;

/**
 * A value as a record keeps it: as it is, when it can be exported with the session and come back, and as its JSON text otherwise. Keys called
 * `__proto__` and deep nesting are refused where an export is read, and one such value would make every later export fail.
 *
 * @param text the JSON text of the value, where there is one. Default: it is written.
 */
export function recordable(value: JsonValue, text?: string): JsonValue {
  return canComeBack(value, maxRecordedDepth) ? value : (text ?? JSON.stringify(value));
}

function canComeBack(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((item) => canComeBack(item, depth - 1));
  for (const key of Object.keys(value)) {
    if (key === '__proto__' || !canComeBack(Reflect.get(value, key), depth - 1)) return false;
  }
  return true;
}
