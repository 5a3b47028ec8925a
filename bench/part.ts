/** What one part measured. Numbers are kept as they were measured, and rounded where they are shown. */
export interface Findings {
  /** The heads of the table's columns, with their units. */
  columns: string[];
  rows: (string | number)[][];
  /** The contestants that none can pass: what the platform itself costs. */
  limits?: string[];
  /** What was aimed at, and what came of it. */
  goals?: Goal[];
  /** The same in more detail, kept for charts and not shown. */
  points?: Record<string, string | number>[];
  /** How it was measured, in sentences. */
  notes: string[];
}

/** What a part found, with where and when. Each part has a file of its own, so that it can be run again alone. */
export interface Result extends Findings {
  name: string;
  title: string;
  date: string;
  node: string;
  machine: string;
}

export interface Goal {
  /** What is measured, such as "a call ÷ bare fetch". */
  name: string;
  measured: number;
  atMost?: number;
  atLeast?: number;
}

/** One measurement of the project, in a file of its own below `parts/` that exports it as `part`. */
export interface Part {
  /** The name of its file, and of its results. */
  name: string;
  title: string;
  /** Undefined, and said in a line, where something is missing that it needs. */
  run(): Promise<Findings | undefined>;
}
