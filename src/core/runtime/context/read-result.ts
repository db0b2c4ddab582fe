import { FilesystemError } from '../../error/index.ts';
import {
  compileGrep,
  cutText,
  renderLines,
  showLines,
  shownLines,
  shownPart,
  showPart,
  textWindow,
} from '../../filesystem/index.ts';
import { counted, formatNumber, none, once, quoteText } from '../../internal/index.ts';
import { type BoundTool, toBoundTool } from '../../prompt/index.ts';
import {
  count,
  described,
  integer,
  optional,
  type RecordOf,
  recordSchema,
  text,
} from '../../schema/index.ts';
import { type AnyTool, type ToolContext, ToolResult, tool } from '../../tool/index.ts';
import { type KeptResults, readResultName } from './kept-results.ts';

/** Lines that a call shows at most. */
const maxLines = 2_000;
/** Matching lines that a call shows at most. */
const maxMatches = 100;
/** Characters of one line; a longer one can be continued. */
const maxLineCharacters = 2_000;
/** What the text around the lines takes of a result. */
const overheadCharacters = 400;
/** What the number of a line takes at most. */
const numberCharacters = 12;

const input = {
  id: described(text, {
    minLength: 1,
    description: 'The id that the excerpt, or a message about the state of the run, names.',
  }),
  offset: optional(count, { default: 0, description: 'Lines to skip before the first one shown.' }),
  limit: optional(integer, {
    minimum: 1,
    default: maxLines,
    description: `Lines to show, at most ${maxLines}.`,
  }),
  character_offset: optional(count, {
    description: `Only to continue a line of more than ${maxLineCharacters} characters: characters of the line after offset to skip. That line alone is shown.`,
  }),
  pattern: optional(text, {
    minLength: 1,
    description:
      'Shows only lines that match this regular expression (RE2 syntax: no look-around, no back-references), with their numbers.',
  }),
};

type ReadResultParams = RecordOf<typeof input>;

/** What a handler gets in an evaluation that keeps results. */
interface WithResults {
  readonly '~results'?: KeptResults;
}

/** Shows parts of a result that was too long for the model to get at once. Made for the first evaluation that needs it. */
export const readResult: () => AnyTool = once(() =>
  tool({
    name: readResultName,
    description: 'Reads a part of an earlier result of a tool that was too long to be shown in full.',
    inputSchema: recordSchema(input),
    effects: 'read',
    pure: true,
    idempotent: true,
    acceptsOverrides: false,
    execute: (params, context) => {
      const results = resultsOf(context);
      const found = results?.find(params.id.trim());
      if (results === undefined || found === undefined)
        return ToolResult.error(
          `No result with the id ${quoteText(cutText(params.id, 40).text)} is kept here.`,
        );
      if (found === 'gone')
        return ToolResult.error(
          'This result is kept no more: later ones needed the room. Make the call again if it is needed.',
        );
      return params.pattern === undefined
        ? window(found.text, params, results.maxCharacters)
        : matches(found.text, params.pattern, params, results.maxCharacters);
    },
  }),
);

/** The tool for an evaluation, under the policies of its prompt as a whole. */
export function boundReadResult({ policies }: Pick<BoundTool, 'policies'>): BoundTool {
  return toBoundTool({ tool: readResult(), sectionPath: '', policies, recordingPolicies: none });
}

function resultsOf(context: ToolContext): KeptResults | undefined {
  // The runtime makes the context; its type names what other handlers may use of it.
  return (context as WithResults)['~results'];
}

function window(
  whole: string,
  { offset = 0, limit = maxLines, character_offset: characterOffset }: ReadResultParams,
  maxCharacters: number,
): ToolResult<unknown> {
  const lines = characterOffset === undefined ? Math.min(limit, maxLines) : 1;
  const { window: found } = textWindow('', whole, { offset, limit: lines });
  const { totalLines } = found;
  if (offset >= totalLines)
    return ToolResult.ok(
      undefined,
      `It has ${counted(totalLines, 'line')}; there are none after an offset of ${formatNumber(offset)}.`,
    );
  const room = Math.max(maxCharacters - overheadCharacters, 100);
  if (characterOffset !== undefined) {
    const part = showPart(found.text, characterOffset, { maxLineCharacters, maxOutputCharacters: room });
    return ToolResult.ok(undefined, renderLines(shownPart(found, part)));
  }
  const shown = showLines(found.text, {
    maxLineCharacters: Math.min(maxLineCharacters, Math.floor(room / 2)),
    maxOutputCharacters: room - numberCharacters * Math.min(lines, Math.ceil(room / 40)),
  });
  return ToolResult.ok(undefined, renderLines(shownLines(found, shown)));
}

async function matches(
  whole: string,
  pattern: string,
  { offset = 0, limit = maxMatches }: ReadResultParams,
  maxCharacters: number,
): Promise<ToolResult<unknown>> {
  const grep = await compileGrep({ pattern }).catch((error: unknown) => {
    if (FilesystemError.isInstance(error)) return error.message;
    throw error;
  });
  if (typeof grep === 'string') return ToolResult.error(grep);
  const room = Math.max(maxCharacters - overheadCharacters, 100);
  const max = Math.min(limit, maxMatches);
  const shown: string[] = [];
  let characters = 0;
  for (const found of grep.matchingLines(whole)) {
    if (found === undefined || found.line <= offset) continue;
    const line = `${found.line} | ${cutText(found.text, Math.min(maxLineCharacters, Math.floor(room / 2))).text}`;
    if (shown.length === max || (shown.length > 0 && characters + line.length > room))
      return ToolResult.ok(
        undefined,
        `${shown.join('\n')}\n[There are more; continue with offset=${found.line - 1}]`,
      );
    shown.push(line);
    characters += line.length + 1;
  }
  return ToolResult.ok(undefined, shown.length === 0 ? 'No line matches.' : shown.join('\n'));
}
