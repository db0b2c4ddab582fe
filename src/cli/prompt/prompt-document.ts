import type { RenderedPrompt, ToolParamDescription } from '../../core/prompt/index.ts';
import type { AnyTool, HostedTool } from '../../core/tool/index.ts';

/** Everything that a prompt sends to a model, as a document for people: the instructions, then the tools. */
export function promptDocument(rendered: RenderedPrompt): string {
  const { text, tools, hostedTools, toolParamDescriptions, output } = rendered;
  const parts = [text];
  if (tools.length + hostedTools.length > 0) parts.push('# Tools');
  for (const tool of tools) parts.push(toolText(tool, toolParamDescriptions[tool.name] ?? {}));
  for (const tool of hostedTools) parts.push(hostedToolText(tool));
  if (output !== undefined)
    parts.push('# Answer', JSON.stringify(output.compiled.inputJsonSchema, undefined, 2));
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function toolText(tool: AnyTool, params: Readonly<Record<string, ToolParamDescription>>): string {
  return [`## ${tool.name}`, '', tool.description, ...paramLines(params)].join('\n');
}

/** Without the config: how much of it the model receives depends on the provider, and it may hold secrets. */
function hostedToolText({ name, kind, description }: HostedTool): string {
  return `## ${name}\n\n${description}\n\nRun by the provider, as \`${kind}\`.`;
}

function paramLines(params: Readonly<Record<string, ToolParamDescription>>): readonly string[] {
  const lines = Object.entries(params).map(([name, { type, description, default: value }]) => {
    const fallback = value === undefined ? '' : `, default ${JSON.stringify(value)}`;
    return `- ${name} (${type}${fallback})${description === undefined ? '' : `: ${description}`}`;
  });
  return lines.length === 0 ? [] : ['', ...lines];
}
