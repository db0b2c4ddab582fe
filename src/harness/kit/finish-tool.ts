import type { ToolRuntimeCall } from '../../core/evaluation/index.ts';
import type { PromptOutput } from '../../core/prompt/index.ts';
import type { ModelTool } from '../../core/runtime/index.ts';
import { jsonSchema } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, tool } from '../../core/tool/index.ts';
import { AnswerSchema } from './answer-schema.ts';

/**
 * The tool that takes the structured answer of a model whose harness has no schema for it. It is not part of the prompt: its calls change nothing, and
 * no policy is asked about them.
 *
 * @see docs/spec/harnesses.md §4
 */
export class FinishTool {
  readonly tool: AnyTool;
  readonly modelTool: ModelTool;
  readonly #answer: AnswerSchema;

  /** @param isTaken whether the prompt has a tool of this name; the tool then gets another one. */
  constructor({ compiled, container }: PromptOutput<unknown>, isTaken: (name: string) => boolean) {
    this.#answer = new AnswerSchema(compiled.inputJsonSchema, container === 'array');
    const inputSchema = this.#answer.wire;
    this.tool = tool({
      name: freeName('finish', isTaken),
      description: 'Give the final answer. Call it once, when everything else is done.',
      inputSchema: jsonSchema(inputSchema),
      effects: 'read',
      execute: () => ToolResult.error('The answer is taken by the harness adapter.'),
    });
    const { name, description } = this.tool;
    this.modelTool = Object.freeze({ name, description, inputSchema, examples: [] });
  }

  get name(): string {
    return this.tool.name;
  }

  /** What the instructions say about it, at their end. */
  get instructions(): string {
    return [
      '## Answer',
      '',
      `Give your final answer by calling the tool \`${this.name}\`, after everything else is done. Its arguments are the answer. A text is not an answer.`,
    ].join('\n');
  }

  /** What the model reads when its answer was not accepted. */
  correction(problem: string): string {
    return `Your answer was not accepted. ${problem}\n\nCall the tool \`${this.name}\` with the whole answer.`;
  }

  /** The text of the answer in a call. */
  textOf({ arguments: given }: Pick<ToolRuntimeCall, 'arguments'>): string {
    return typeof given === 'string'
      ? this.#answer.readText(given)
      : JSON.stringify(this.#answer.read(given));
  }
}

/** `base`, or `base_2` and so on: the first name that is not taken. */
export function freeName(base: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!isTaken(name)) return name;
  }
}
