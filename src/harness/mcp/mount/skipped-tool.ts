/** A tool that cannot be offered. */
export interface McpSkippedTool {
  /** Its name at the server. */
  readonly name: string;
  readonly reason: string;
}
