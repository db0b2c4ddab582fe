import { linesOf, oneLine } from '../../internal/index.ts';
import { renderJson } from '../../schema/index.ts';
import type { AnyTool, ToolExample } from '../../tool/index.ts';
import { fenceAround, jsonLine } from '../template/line-breaks.ts';

/** The examples of a tool as text, for providers that have no field for them; empty when there are none. */
export function toolExamplesText(tool: AnyTool): string {
  if (tool.examples.length === 0) return '';
  return [
    `- ${tool.name}: ${oneLine(tool.description)}`,
    `  - ${tool.name} examples:`,
    ...tool.examples.map((example) => exampleText(tool, example)),
  ].join('\n');
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
