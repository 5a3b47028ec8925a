import { type Command, defineCommand, UsageError } from "../command.js";
import { printResult } from "../output.js";
import { commonOptions, type Option, type Usage } from "../usage.js";

/** zsh runs the script for bash. */
const scripts = {
  bash: bashScript,
  zsh: (usages: Usages) => `autoload -U +X compinit bashcompinit
whence compdef > /dev/null || compinit
bashcompinit
${bashScript(usages)}`,
  fish: fishScript,
};

const shells = Object.keys(scripts);

/** `screenshot-sets completion`, for these commands and itself. */
export function completion(commands: Record<string, () => Promise<Command>>): Command {
  return defineCommand(
    {
      name: "screenshot-sets completion",
      synopsis: `<${shells.join(" | ")}>`,
      about: `Prints a script that lets a shell complete commands, options and their values. To use it in every new shell, put
source <(screenshot-sets completion bash) into ~/.bashrc, the same with zsh into ~/.zshrc, and for fish
screenshot-sets completion fish | source into ~/.config/fish/config.fish.`,
      options: {},
      argument: "shell",
      argumentValues: shells,
      examples: ["completion bash"],
    },
    async ({ argument }) => {
      const script = Object.hasOwn(scripts, argument) && scripts[argument as keyof typeof scripts];
      if (!script) throw new UsageError(`Expected the shell to be ${shells.join(", ")}.`);
      const loaded = Object.entries(commands).map(
        async ([name, load]) => [name, (await load()).usage] as const,
      );
      await printResult(script(await Promise.all(loaded)));
      return 0;
    },
  );
}

type Usages = (readonly [name: string, usage: Usage])[];

/** The words that no shell interprets in any way, joined by spaces. */
function plain(words: readonly string[] = []): string {
  return words.filter((word) => /^[\w.-]+$/.test(word)).join(" ");
}

/** The shell completes filenames wherever the script has no words, for example after --out. */
function bashScript(usages: Usages): string {
  const cases = usages.flatMap(([name, { options, argumentValues }]) => [
    ...Object.entries<Option>(options)
      .filter(([, { value }]) => value !== undefined)
      .map(([option, { values }]) => `    *,${name},--${option}) words="${plain(values)}" ;;`),
    `    *,${name},*) words="${plain([...flagsOf(options), ...(argumentValues ?? [])])}" ;;`,
  ]);
  return `_screenshot_sets() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words=""
  COMPREPLY=()
  case " \${COMP_WORDS[*]:1:$((COMP_CWORD - 1))} " in *" -- "*) return ;; esac
  if [ "$current" = "=" ]; then current=""; fi
  if [ "$previous" = "=" ]; then previous="\${COMP_WORDS[COMP_CWORD - 2]}"; fi
  case "$COMP_CWORD,\${COMP_WORDS[1]},$previous" in
    1,*) words="${plain([...usages.map(([name]) => name), ...flagsOf({})])}" ;;
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _screenshot_sets screenshot-sets
`;
}

function flagsOf(options: Usage["options"]): string[] {
  return Object.keys({ ...options, ...commonOptions }).map((name) => `--${name}`);
}

function fishScript(usages: Usages): string {
  const names = usages.map(([name]) => name);
  const lines = usages.flatMap(([name, { about, options, argumentValues, takesCommand }]) => {
    const within = `complete -c screenshot-sets -n "__fish_seen_subcommand_from ${name}"`;
    return [
      `complete -c screenshot-sets -n "not __fish_seen_subcommand_from ${plain(names)}" -a ${name} -d ${fishQuoted(about)}`,
      ...(argumentValues ? [`${within} -a "${plain(argumentValues)}"`] : []),
      ...(takesCommand ? [`${within} -F`] : []),
      ...Object.entries<Option>({ ...options, ...commonOptions }).map(([option, { value, values, help }]) => {
        const takes = value === undefined ? "" : value === "FILE" ? " -r -F" : ` -x -a "${plain(values)}"`;
        return `${within} -l ${option}${takes} -d ${fishQuoted(help)}`;
      }),
    ];
  });
  return `complete -c screenshot-sets -f\n${lines.join("\n")}\n`;
}

/** The first sentence of a text, quoted as one word for fish. */
function fishQuoted(text: string): string {
  const [sentence = ""] = text.replaceAll("\n", " ").split(/(?<=\.) /);
  return `'${sentence.replace(/[\\']/g, "\\$&")}'`;
}
