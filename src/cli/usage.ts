import { basePath } from "../generated/values.js";

/** An option of a command, as it is typed and explained. */
export interface Option {
  /** The placeholder for its value in the help. An option without a placeholder takes no value. */
  value?: string;
  help: string;
  short?: string;
  /** Whether it may be given several times. */
  several?: true;
}

export type Options = Record<string, Option>;

/** How a command is typed, and the text of its `--help`. */
export interface Usage<Own extends Options = Options> {
  /** `screenshot-sets` and the command's own name. */
  name: string;
  /** What is typed after the name. */
  synopsis: string;
  about: string;
  options: Own;
  /** The name of its one argument, if it takes one. */
  argument?: string;
  /** Whether it takes another command after `--`. */
  takesCommand?: boolean;
  /** Further sections of the help. */
  more?: string;
  /** Example command lines, each without the program's name. */
  examples: readonly string[];
}

/** The variables that every command reads that talks to the service, and what each is. */
export const variables = {
  SCREENSHOT_SETS_API_KEY: "the secret key of your account",
  SCREENSHOT_SETS_BASE_URL: `the service's address, such as https://api.example.com${basePath}`,
};

/** The options that every command has in addition to its own. */
export const commonOptions = {
  help: { help: "show this help", short: "h" },
  version: { help: "show the version" },
} satisfies Options;

/** The first line of the help, which is also printed with every usage error. */
export function synopsisOf({ name, synopsis }: Usage): string {
  return `Usage: ${name} ${synopsis}`;
}

/** The text that `--help` prints. */
export function helpOf(usage: Usage): string {
  const { about, options, more, examples } = usage;
  const optionLines = Object.entries({ ...options, ...commonOptions }).flatMap(optionHelp);
  const exampleLines = examples.map((example) => `  screenshot-sets ${example}`);
  const sections = [
    synopsisOf(usage),
    about,
    ["Options:", ...optionLines].join("\n"),
    ...(more ? [more] : []),
    [examples.length > 1 ? "Examples:" : "Example:", ...exampleLines].join("\n"),
  ];
  return `${sections.join("\n\n")}\n`;
}

/** The width of the column for option names, and the maximum width of a line. */
const [nameWidth, lineWidth] = [28, 112];

function optionHelp([name, { value, help, short }]: [string, Option]): string[] {
  const typed = `  --${name}${value ? ` ${value}` : ""}${short ? `, -${short}` : ""}`;
  const lines = [""];
  for (const word of help.split(" ")) {
    const line = lines.at(-1) as string;
    if (line.length + word.length < lineWidth - nameWidth) lines[lines.length - 1] = `${line} ${word}`.trim();
    else lines.push(word);
  }
  return lines.map((line, index) => (index === 0 ? typed : "").padEnd(nameWidth) + line);
}
