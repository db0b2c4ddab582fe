import { describeError, PromptValidationError } from '../error/index.ts';
import { type CompiledSchema, describeIssues, freezeJson, parseInput, parseOutput } from '../schema/index.ts';
import { assertDescription } from './names.ts';
import type { ToolExample } from './tool-types.ts';

/** What examples are checked against. */
export interface ExampleOwner {
  readonly name: string;
  readonly compiledInput: CompiledSchema | undefined;
  readonly compiledOutput: CompiledSchema | undefined;
}

/**
 * Checks the examples of a tool against its schemas, as far as these validate synchronously. The input is kept as it is
 * written, which is what a model would send; the output becomes what validation yields, which is what the model gets.
 *
 * @throws {PromptValidationError} with `details.tool` and `details.placeholder` `'examples'`.
 */
export function checkExamples(examples: readonly ToolExample[], owner: ExampleOwner): readonly ToolExample[] {
  return Object.freeze(examples.map((example, index) => checkExample(example, index, owner)));
}

function checkExample(example: unknown, index: number, owner: ExampleOwner): ToolExample {
  if (typeof example !== 'object' || example === null) throw invalid(owner, index, 'is not an object');
  const given: Partial<ToolExample> = example;
  const description = assertDescription(given.description, `example ${index + 1} of tool "${owner.name}"`, {
    tool: owner.name,
    placeholder: 'examples',
  });
  const input = checkInput(given.input, index, owner);
  const output = checkOutput(given.output, index, owner);
  try {
    return freezeJson({ description, input, output }, `example ${index + 1} of tool "${owner.name}"`);
  } catch (cause) {
    throw invalid(owner, index, `cannot be sent: ${describeError(cause)}`, cause);
  }
}

function checkInput(input: unknown, index: number, owner: ExampleOwner): unknown {
  if (owner.compiledInput === undefined) {
    if (input === undefined || input === null) return undefined;
    throw invalid(owner, index, 'has an input, but the tool takes no params');
  }
  const outcome = parseInput(owner.compiledInput, input);
  if (!(outcome instanceof Promise) && !outcome.ok) {
    throw invalid(
      owner,
      index,
      `has an input that does not fit the input schema:\n${describeIssues(outcome.issues)}`,
    );
  }
  return input;
}

function checkOutput(output: unknown, index: number, owner: ExampleOwner): unknown {
  if (owner.compiledOutput === undefined) return output;
  const outcome = parseOutput(owner.compiledOutput, output);
  if (outcome instanceof Promise) return output;
  if (!outcome.ok) {
    throw invalid(
      owner,
      index,
      `has an output that does not fit the output schema:\n${describeIssues(outcome.issues)}`,
    );
  }
  if (outcome.strippedKeys === undefined) return outcome.value;
  throw invalid(
    owner,
    index,
    `has an output with unknown keys: ${outcome.strippedKeys.slice(0, 10).join(', ')}`,
  );
}

function invalid(
  owner: ExampleOwner,
  index: number,
  problem: string,
  cause?: unknown,
): PromptValidationError {
  return new PromptValidationError(`Example ${index + 1} of tool "${owner.name}" ${problem}.`, {
    cause,
    details: { tool: owner.name, placeholder: 'examples', example: index },
  });
}
