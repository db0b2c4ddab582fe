import { renderJson } from '../../schema/index.ts';
import type { AnyTool, ToolExample } from '../../tool/index.ts';
import { fenceAround, jsonLine, linesOf, oneLine } from '../template/line-breaks.ts';
import type { SectionNode } from './section-tree.ts';

const known = new WeakMap<AnyTool, string>();

/**
 * The examples of a section's tools as text, for providers that have no field for them; empty when there are none. Each
 * tool's are written once.
 */
export function toolExamplesText({ section }: SectionNode): string {
  if (section.examplesInText === false) return '';
  const tools = (section.tools ?? []).filter(({ examples }) => examples.length > 0);
  if (tools.length === 0) return '';
  return ['Tools:', ...tools.map(examplesOf)].join('\n');
}

function examplesOf(tool: AnyTool): string {
  let text = known.get(tool);
  if (text === undefined) {
    const examples = tool.examples.map((example) => exampleText(tool, example));
    text = [`- ${tool.name}: ${oneLine(tool.description)}`, `  - ${tool.name} examples:`, ...examples].join(
      '\n',
    );
    known.set(tool, text);
  }
  return text;
}

function exampleText(tool: AnyTool, example: ToolExample): string {
  const output = outputText(tool, example);
  return [
    `    - description: ${oneLine(example.description)}`,
    '      input:',
    fenced('json', jsonLine(example.input ?? {})),
    ...(output === '' ? [] : ['      output:', fenced('', output)]),
  ].join('\n');
}

function outputText(tool: AnyTool, { output }: ToolExample): string {
  if (output === undefined || output === null) return '';
  try {
    // The example was checked against the tool's output schema when the tool was made.
    return (tool.render?.(output) ?? renderJson(output)).trim();
  } catch {
    // As for a result: what a tool cannot write is written as JSON.
    return renderJson(output);
  }
}

/** The text in a fence that is longer than any in it, indented under its list item. */
function fenced(language: string, text: string): string {
  const fence = fenceAround(text);
  return [`${fence}${language}`, ...linesOf(text), fence]
    .map((line) => `        ${line}`.trimEnd())
    .join('\n');
}
