"""Packages and metadata as participants of DCASE really make them."""

import io
import zipfile

LABEL = "Kim_SNU_task6_1"

METADATA = """\
# Submission information
submission:
  # Submission label
  label: Kim_SNU_task6_1
  name: Careful listener
  abbreviation: Careful
  authors:
    # First author
    - lastname: Kim
      firstname: Ara
      email: ara.kim@example.org
      corresponding: true
      affiliation:
        abbreviation: SNU
        institute: Seoul National University
        department: Intelligence and Information
        location: Seoul, Korea
    # Second author
    - lastname: Lee
      firstname: Jun
      email: jun.lee@example.org
      affiliation:
        institute: Seoul National University

# System information
system:
  description:
    input_sampling_rate: 32kHz
    acoustic_features: log-mel energies
    word_embeddings: learned
    data_augmentation: SpecAugment
    machine_learning_method: encoder-decoder
    learning_scheme: supervised
    ensemble: false
    audio_modelling: CNN14
    word_modelling: transformer
    loss_function: cross-entropy
    optimizer: AdamW
    learning_rate: 0.0005
    gradient_clipping: true
    gradient_norm: 1.0
    metric_monitored: !!null
  complexity:
    total_parameters: 98000000
  external_datasets:
    - name: AudioCaps
      url: https://audiocaps.github.io/
      has_audio: Yes
      has_images: No
      has_video: No
      has_captions: Yes
      nb_captions_per_audio: 1
      total_audio_length: 7662
      used_for: audio_and_word_modelling
  source_code: https://example.org/careful

results:
  development_evaluation:
    meteor: 0.177
    cider: 0.420
    spice: 0.119
    spider: 0.270
    spiderfl: 0.261
"""

CSV = b"file_name,caption_predicted\nrain.wav,rain falls\n"
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n"


def archive(files: dict[str, bytes | str]) -> bytes:
    """Make a zip archive of names and contents."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return out.getvalue()


def package(label: str = LABEL, *, csv: bytes = CSV, metadata: str = METADATA) -> bytes:
    """Make a package as DCASE asks for it."""
    return archive(
        {
            f"{label}/{label}_output.csv": csv,
            f"{label}/{label}.meta.yaml": metadata,
            f"{label}/{label}_report.pdf": PDF,
        }
    )
