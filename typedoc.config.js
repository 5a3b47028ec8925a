import { Comment, Converter, OptionDefaults } from "typedoc";
import { entryPoints } from "./scripts/entry-points.js";

/**
 * Uses the OpenAPI document's descriptions for generated code. They come in a separate tag and are shown here as text.
 * What the document does not describe gets a text that refers to the document.
 */
function speakForTheDocument({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      const path = project.getSymbolIdFromReflection(reflection)?.packagePath ?? "";
      if (!path.startsWith("src/generated/")) continue;
      reflection.comment ??= new Comment([{ kind: "text", text: "As the OpenAPI document has it." }]);
      const description = reflection.comment.getTag("@description");
      if (description === undefined) continue;
      const { summary } = reflection.comment;
      const gap = summary.length > 0 ? [{ kind: "text", text: "\n\n" }] : [];
      reflection.comment.summary = [...summary, ...gap, ...description.content];
      reflection.comment.removeTags("@description");
    }
  });
}

/** @type {Partial<import("typedoc").TypeDocOptions>} */
export default {
  name: "screenshot-sets",
  entryPoints: Object.values(entryPoints).map((path) => `src/${path}.ts`),
  projectDocuments: ["docs/*.md", "AGENTS.md", "SECURITY.md", "CONTRIBUTING.md"],
  out: "reference",
  plugin: [speakForTheDocument],
  blockTags: [...OptionDefaults.blockTags, "@description"],
  intentionallyNotExported: [
    // They derive types from the document's operations; the reference shows the results.
    ...[
      "AppBody",
      "FieldOf",
      "JobAnswer",
      "JobBy",
      "Loosened",
      "OptionalIn",
      "SetBody",
      "Shown",
      "SlideAnswer",
    ].map((name) => `src/types.ts:${name}`),
    // The forms of the state, which users store as a whole, and what is in them.
    ...["SendingSet", "UncertainSet", "AcceptedSet", "EndedSet"].map(
      (name) => `src/durable/set-state.ts:${name}`,
    ),
    "src/generated/values.ts:operationNames",
    "src/durable/bullmq/set-queue.ts:SetQueue",
    ...["GuessedReason", "refusalReasons"].map((name) => `src/mock/refusal-reasons.ts:${name}`),
    "src/job-end.ts:JobEnd",
    ...["AnswerAt", "InitAt", "OtherPath", "HttpMethod"].map((name) => `src/request/types.ts:${name}`),
    "src/request/call.ts:Input",
    ...["WaitingStep", "SucceededStep", "FailedStep", "UncertainStep"].map(
      (name) => `src/durable/step-result.ts:${name}`,
    ),
    ...["SetInStore", "SetWithState"].map((name) => `src/durable/step-set.ts:${name}`),
    "src/durable/save-state.ts:SaveState",
    ...["Entries", "PaidJob"].map((name) => `src/durable/set-store.ts:${name}`),
    "src/batch/set-outcome.ts:Reason",
    "src/params.ts:Checked",
    "src/secrets/log.ts:Level",
    "src/durable/bullmq/create-processor.ts:ClientOf",
  ],
  intentionallyNotDocumented: [
    // What `await using` calls, which the interface itself describes.
    "screenshot-sets/mock.Listener.[asyncDispose]",
    // As `RefusalReason` says.
    ...["invalidRequest", "notFound", "insufficientCredits"].map(
      (reason) => `screenshot-sets/mock.Undocumented.status.__type.${reason}`,
    ),
  ],
  highlightLanguages: [...OptionDefaults.highlightLanguages, "mermaid", "sql"],
  disableGit: true,
  disableSources: true,
  excludeInternal: true,
  excludePrivate: true,
  includeVersion: true,
  validation: {
    invalidLink: true,
    // Links may lead to folders, and a test checks whether their targets exist.
    invalidPath: false,
    notDocumented: true,
    notExported: true,
    rewrittenLink: true,
  },
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
};
