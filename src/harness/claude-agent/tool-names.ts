/** The name of the server that Claude Code gets the tools from. */
export const serverName = 'wink';

/** What the names of its tools begin with, as the model has them. */
export const toolPrefix: string = `mcp__${serverName}__`;
