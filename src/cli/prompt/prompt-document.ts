import type { RenderedPrompt, ToolParamDescription } from '../../prompt/index.ts';
import type { AnyTool } from '../../tool/index.ts';

/** Everything that a model is told by a prompt, as a text for people: the instructions, then its tools. */
export function promptDocument({ text, tools, toolParamDescriptions, output }: RenderedPrompt): string {
  const parts = [text];
  if (tools.length > 0) parts.push('# Tools');
  for (const tool of tools) parts.push(toolText(tool, toolParamDescriptions[tool.name] ?? {}));
  if (output !== undefined)
    parts.push('# Answer', JSON.stringify(output.compiled.inputJsonSchema, undefined, 2));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function toolText(tool: AnyTool, params: Readonly<Record<string, ToolParamDescription>>): string {
  return [`## ${tool.name}`, '', tool.description, ...paramLines(params)].join('\n');
}

function paramLines(params: Readonly<Record<string, ToolParamDescription>>): readonly string[] {
  const lines = Object.entries(params).map(([name, { type, description, default: value }]) => {
    const fallback = value === undefined ? '' : `, default ${JSON.stringify(value)}`;
    return `- ${name} (${type}${fallback})${description === undefined ? '' : `: ${description}`}`;
  });
  return lines.length === 0 ? [] : ['', ...lines];
}
