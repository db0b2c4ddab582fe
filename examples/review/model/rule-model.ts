import type { AssistantPart, ConversationItem, JsonObject } from 'weakincentives';
import { reportPath } from '../report-format.ts';
import { FileReading } from './file-reading.ts';
import { FolderSurvey, textArgument } from './folder-survey.ts';
import { Reporting } from './reporting.ts';
import { isPlanningCall, ReviewPlan, type ReviewStage } from './review-plan.ts';
import type { ReviewSettings } from './settings.ts';
import type { AnsweredCall, ToolRequest } from './tool-request.ts';

/** Decision for one turn: calls to make, or the final text. */
export interface RuleTurn {
  readonly text: string;
  readonly toolCalls: readonly ToolRequest[];
}

/** Decides the next turn from the conversation so far. */
export type RuleModel = (conversation: readonly ConversationItem[]) => RuleTurn;

/**
 * The embedded default model of the review. It is not a language model: rules decide each turn, and only from the tool
 * results in the conversation. The same conversation always gives the same turn; what was concluded from a conversation
 * is kept and continued while it grows, so a turn costs what was added to it.
 */
export function createRuleModel(settings: ReviewSettings): RuleModel {
  let known = new Deliberation(settings);
  return (conversation) => {
    if (!known.isPrefixOf(conversation)) known = new Deliberation(settings);
    known.read(conversation);
    return known.decide();
  };
}

/** A turn's work, before the plan is brought up to date. */
interface StageTurn extends RuleTurn {
  readonly stage: ReviewStage;
}

/** What was concluded from one conversation so far. */
class Deliberation {
  readonly #plan = new ReviewPlan();
  readonly #survey = new FolderSurvey();
  readonly #reading: FileReading;
  readonly #reporting: Reporting;
  readonly #open = new Map<string, ToolRequest>();
  #itemCount = 0;
  #lastItem: ConversationItem | undefined;

  constructor(settings: ReviewSettings) {
    this.#reading = new FileReading(settings, this.#survey);
    this.#reporting = new Reporting(settings, this.#survey, this.#reading);
  }

  /** True when everything read so far is the beginning of `conversation`, by identity of the last item read. */
  isPrefixOf(conversation: readonly ConversationItem[]): boolean {
    return this.#itemCount === 0 || conversation[this.#itemCount - 1] === this.#lastItem;
  }

  read(conversation: readonly ConversationItem[]): void {
    for (const item of conversation.slice(this.#itemCount)) {
      if (item.type === 'assistant') item.content.forEach((part) => this.#noteAsked(part));
      else if (item.type === 'tool-result') {
        const request = this.#open.get(item.callId);
        this.#open.delete(item.callId);
        if (request !== undefined) this.#observe({ ...request, text: item.text, isError: item.isError });
      }
      this.#lastItem = item;
    }
    this.#itemCount = conversation.length;
  }

  /** The plan is kept in the same turn as the work; only its last step is finished in a turn of its own. */
  decide(): RuleTurn {
    const { stage, text, toolCalls } = this.#work();
    const planning = this.#plan.callsFor(stage);
    if (toolCalls.length === 0 && planning.length > 0) return { text: 'Finishing.', toolCalls: planning };
    return { text, toolCalls: toolCalls.length === 0 ? [] : [...planning, ...toolCalls] };
  }

  #work(): StageTurn {
    const surveying = this.#survey.next();
    if (surveying.length > 0)
      return { stage: 'survey', text: 'Looking around in the folder.', toolCalls: surveying };
    const reading = this.#reading.next();
    if (reading.length > 0 && !this.#reporting.hasBegun)
      return { stage: 'read', text: 'Reading files.', toolCalls: reading };
    const toolCalls = this.#reporting.next();
    const { stage, closing } = this.#reporting;
    return { stage, text: toolCalls.length > 0 ? 'Reporting.' : closing, toolCalls };
  }

  #noteAsked(part: AssistantPart): void {
    if (part.type !== 'tool-call') return;
    const request = { name: part.name, arguments: parseArguments(part.arguments) };
    this.#open.set(part.callId, request);
    if (!isPlanningCall(request)) this.#stageOf(request).noteAsked(request);
  }

  #observe(call: AnsweredCall): void {
    if (isPlanningCall(call)) this.#plan.observe(call);
    else this.#stageOf(call).observe(call);
  }

  #stageOf(request: ToolRequest): FolderSurvey | FileReading | Reporting {
    if (request.name === 'read_file' && textArgument(request, 'file_path') !== reportPath)
      return this.#reading;
    return ['ls', 'glob', 'grep', 'list_unmounted'].includes(request.name) ? this.#survey : this.#reporting;
  }
}

function parseArguments(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text);
    // Checked to be a JSON object, as JsonObject requires.
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
