import { describeError, OutputParseError } from '../../error/index.ts';
import { endOfJsonString } from '../../internal/index.ts';
import type { PromptOutput } from '../../prompt/index.ts';
import type { ReadAnswer } from '../../runtime/index.ts';
import {
  describeIssues,
  type GivenJson,
  type JsonValue,
  parseInput,
  readGivenJson,
} from '../../schema/index.ts';

/** So many of the last values of a text are compared with the schema. */
const maxCandidates = 200;

/**
 * The structured answer in a model's final text: of the JSON values in it (see `jsonInText`) the last one that fits
 * the schema. JSON after it that cannot be read invalidates the answer: it is the model's last one.
 *
 * @param wasParsed whether the text was written from a value that something else had parsed. Default: false.
 * @throws {OutputParseError} when there is no JSON, none fits, or the last of it is broken; the message explains what is wrong.
 */
export async function parseAnswer<Output>(
  text: string,
  output: PromptOutput<Output>,
  wasParsed = false,
): Promise<ReadAnswer<Output>> {
  const { values, broken } = jsonInText(text);
  if (broken !== undefined) throw unreadable(`It holds no JSON that can be read: ${broken}.`, text);
  let likeliest: string | undefined;
  let last: string | undefined;
  for (const given of values.slice(-maxCandidates).reverse()) {
    const { issues, value: json } = readGivenJson({ ...given, wasParsed }, output.compiled.inputJsonSchema);
    const outcome =
      issues.length > 0 ? { ok: false as const, issues } : await parseInput(output.compiled, json);
    if (outcome.ok) return { output: outcome.value, json };
    const problem = `It does not fit the output schema.\n${describeIssues(outcome.issues)}`;
    last ??= problem;
    if (Array.isArray(json) === (output.container === 'array')) likeliest ??= problem;
  }
  throw unreadable(likeliest ?? last ?? noJson(text, output), text);
}

function unreadable(problem: string, text: string): OutputParseError {
  return new OutputParseError(problem, { details: { text } });
}

function noJson(text: string, { container }: PromptOutput<unknown>): string {
  const wanted = container === 'array' ? 'a JSON list' : 'a JSON object';
  return text.trim() === ''
    ? `It is empty where ${wanted} is asked for.`
    : `It holds no JSON; ${wanted} is asked for.`;
}

/** A text may hold many brackets that begin no JSON; further ones are not tried. */
const maxFailedStarts = 200;

/** What a model may have meant by a text as JSON. */
interface JsonInText {
  /** The JSON values, in their order in the text. */
  readonly values: readonly GivenJson[];
  /** Why JSON after the last of them cannot be read, as the end of a sentence; undefined when there is none. */
  readonly broken: string | undefined;
}

/**
 * The JSON in a text: the whole of it, else its fenced blocks (tagged `json`, or not at all and beginning with a bracket), else the objects and lists
 * within its sentences. Where there are such blocks, the text beside them is an example or an explanation, even if they are broken.
 */
function jsonInText(text: string): JsonInText {
  const whole = parseJson(text.trim());
  if (whole.ok) return { values: [whole], broken: undefined };
  return inBlocks(text) ?? inSentences(text);
}

type Parsed = ({ readonly ok: true } & GivenJson) | { readonly ok: false; readonly why: string };

function parseJson(text: string): Parsed {
  try {
    // What JSON.parse yields is JSON.
    return { ok: true, text, value: JSON.parse(text) as JsonValue };
  } catch (error) {
    return { ok: false, why: describeError(error) };
  }
}

/** @returns undefined when no block is meant to be JSON. */
function inBlocks(text: string): JsonInText | undefined {
  const values: GivenJson[] = [];
  let broken: string | undefined;
  let isFound = false;
  for (const { tag, content, isClosed } of fencedBlocks(text)) {
    if (tag !== 'json' && !(tag === '' && /^\s*[[{]/.test(content))) continue;
    isFound = true;
    const parsed = parseJson(content);
    if (parsed.ok) values.push(parsed);
    // Then the block may continue in sentences.
    const within = parsed.ok || isClosed ? undefined : inSentences(content);
    if (within !== undefined) values.push(...within.values);
    if (parsed.ok || (within !== undefined && within.values.length > 0)) broken = within?.broken;
    else broken = `the JSON in its fenced block is broken (${parsed.why})`;
  }
  return isFound ? { values, broken } : undefined;
}

interface FencedBlock {
  readonly tag: string;
  readonly content: string;
  /** False for a block without an end fence. */
  readonly isClosed: boolean;
}

function* fencedBlocks(text: string): Generator<FencedBlock, void> {
  let block: { readonly tag: string; readonly lines: string[] } | undefined;
  for (const line of text.split('\n')) {
    const fence = line.trim();
    if (block === undefined) {
      if (fence.startsWith('```')) block = { tag: fence.slice(3).trim().toLowerCase(), lines: [] };
    } else if (fence !== '```') block.lines.push(line);
    else {
      yield { tag: block.tag, content: block.lines.join('\n'), isClosed: true };
      block = undefined;
    }
  }
  if (block !== undefined) yield { tag: block.tag, content: block.lines.join('\n'), isClosed: false };
}

function inSentences(text: string): JsonInText {
  const values: GivenJson[] = [];
  let afterLast = 0;
  let failedStarts = 0;
  for (let at = nextStart(text, 0); at >= 0 && failedStarts < maxFailedStarts; ) {
    const end = endOfValue(text, at);
    const parsed = end === undefined ? undefined : parseJson(text.slice(at, end));
    if (end !== undefined && parsed?.ok === true) {
      values.push(parsed);
      afterLast = end;
      at = nextStart(text, end);
    } else {
      failedStarts += 1;
      at = nextStart(text, at + 1);
    }
  }
  // Brackets are common in sentences; one followed by a key and a colon begins an object.
  const isBegun = /\{\s*"(?:[^"\\]|\\.)*"\s*:/.test(text.slice(afterLast));
  return { values, broken: isBegun ? 'an object in it is begun and cannot be read' : undefined };
}

function nextStart(text: string, from: number): number {
  const found = text.slice(from).search(/[[{]/);
  return found < 0 ? -1 : from + found;
}

/** The index after the bracket that closes the one at `start`; undefined when none does. Brackets in strings do not count. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfJsonString(text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
