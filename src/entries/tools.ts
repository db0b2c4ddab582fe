/**
 * Ready-made sections and tools: files, a digest of the workspace, a plan, a memory, skills, instructions of the repository, web search and other hosted tools.
 *
 * Runs in any runtime.
 *
 * @module weakincentives/tools
 */

export { type AgentToolOptions, agentTool } from '../suite/agent/agent-tool.ts';
export { WorkspaceDigest } from '../suite/digest/workspace-digest.ts';
export {
  type WorkspaceDigestSectionOptions,
  workspaceDigestSection,
} from '../suite/digest/workspace-digest-section.ts';
export {
  type CodeInterpreterConfig,
  type CodeInterpreterFile,
  type CodeInterpreterNetwork,
  type CodeInterpreterResult,
  codeInterpreterTool,
  type DomainFilter,
  type FileSearchConfig,
  type FileSearchHit,
  type FileSearchResult,
  fileSearchTool,
  type GeoHint,
  type HostedMcpConfig,
  type HostedMcpResult,
  type HostedToolOptions,
  hostedMcpTool,
  type ImageGenerationConfig,
  type ImageGenerationResult,
  imageGenerationTool,
  type WebFetchConfig,
  type WebFetchResult,
  type WebSearchConfig,
  type WebSearchResult,
  type WebSearchSection,
  type WebSearchSectionOptions,
  type WebSearchSource,
  webFetchTool,
  webSearchSection,
  webSearchTool,
} from '../suite/hosted/index.ts';
export {
  type MemoryFile,
  type MemorySection,
  type MemorySectionOptions,
  memorySection,
} from '../suite/memory/index.ts';
export {
  AddStep,
  type AddStepPayload,
  CurrentPlan,
  formatPlan,
  type Plan,
  PlanningStrategy,
  type PlanningToolName,
  type PlanningToolsSectionOptions,
  type PlanStatus,
  type PlanStep,
  type PlanStepStatus,
  planCompletion,
  planningToolsSection,
  type ReadPlan,
  SetupPlan,
  type SetupPlanPayload,
  UpdateStep,
  type UpdateStepPayload,
} from '../suite/planning/index.ts';
export {
  type ProviderToolChoice,
  type ProviderToolsSectionOptions,
  providerToolsSection,
} from '../suite/provider-tools/index.ts';
export {
  type ProjectInstructionsSectionOptions,
  projectInstructionsSection,
  type ReadSkillsOptions,
  readSkills,
  type Skill,
  type SkillsSectionOptions,
  skillsSection,
} from '../suite/skills/index.ts';
export { type VfsToolsSectionOptions, vfsToolsSection } from '../suite/vfs/index.ts';
