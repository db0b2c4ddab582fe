import {
  type AnySection,
  type EvaluateOptions,
  type Prompt,
  type PromptResponse,
  promptTemplate,
  Session,
  type ToolInvokedPayload,
} from 'weakincentives';
import type { ModelRequest } from 'weakincentives/provider';
import { type ScriptedToolCall, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';

/** What a model was asked for in one turn, as far as sections go. */
export interface AskedTurn {
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly hosted: readonly string[];
}

/** Result of an evaluation. */
export interface SectionsRun {
  readonly session: Session;
  readonly asked: readonly AskedTurn[];
  readonly invocations: readonly ToolInvokedPayload[];
  /** Tool results sent to the model, per call. */
  readonly texts: readonly string[];
  readonly response: PromptResponse;
}

export const sectionsPrompt = (
  sections: readonly AnySection[],
  params: object = {},
  key = 'sections',
): Prompt<undefined> => promptTemplate({ ns: 'test', key, sections }).bind(params as never); // The tests check params at run time.

/** Evaluates a prompt on a model that makes these turns and then stops, and takes down what the model was sent. */
export async function runSections(
  prompt: Prompt<undefined>,
  turns: readonly ScriptedTurn[],
  options: EvaluateOptions = {},
): Promise<SectionsRun> {
  const { session = new Session(), observers = [] } = options;
  const asked: AskedTurn[] = [];
  const invocations: ToolInvokedPayload[] = [];
  const adapter = scriptedAdapter((_conversation, request) => {
    asked.push(toAsked(request));
    return turns[request.turn - 1] ?? { text: 'done' };
  });
  const response = await adapter.evaluate(prompt, {
    ...options,
    session,
    observers: [
      {
        onEvent: (event) => {
          if (event.type === 'tool-call-end') invocations.push(event.invocation);
        },
      },
      ...observers,
    ],
  });
  const texts = response.conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  return { session, asked, invocations, texts, response };
}

function toAsked({ instructions, tools, hostedTools }: ModelRequest): AskedTurn {
  return {
    instructions,
    tools: tools.map(({ name }) => name),
    hosted: hostedTools.map(({ name }) => name),
  };
}

/** A call that opens sections. */
export const opening = (...keys: readonly string[]): ScriptedToolCall => ({
  name: 'open_sections',
  arguments: { section_keys: keys, reason: 'It is needed.' },
});

/** A call that reads a section. */
export const reading = (key: string): ScriptedToolCall => ({
  name: 'read_section',
  arguments: { section_key: key },
});
