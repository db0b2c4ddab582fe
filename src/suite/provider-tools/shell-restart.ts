import { recordSchema, text } from '../../core/schema/index.ts';
import { type AnyTool, ToolResult, tool } from '../../core/tool/index.ts';

/** Name of the tool that answers a request to restart the shell. */
export const shellRestartName = 'shell_restart';

/** The tool that a request to restart the shell becomes: nothing lives on between commands, so there is nothing to do. */
export function shellRestartTool(): AnyTool {
  return tool({
    name: shellRestartName,
    description: 'Nothing to restart: each command runs in a fresh shell.',
    inputSchema: recordSchema({}),
    outputSchema: recordSchema({ note: text }),
    effects: 'read',
    pure: true,
    idempotent: true,
    acceptsOverrides: false,
    render: () => '',
    execute: () =>
      ToolResult.ok(
        { note: 'fresh' },
        'There is nothing to restart: each command runs in a fresh shell. Directory, variables and processes end with it; the files of the workspace are as the last command that succeeded left them.',
      ),
  });
}
